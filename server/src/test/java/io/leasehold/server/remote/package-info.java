// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.server.remote;

import org.jspecify.annotations.NullMarked;
