// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.server;

import org.jspecify.annotations.NullMarked;
