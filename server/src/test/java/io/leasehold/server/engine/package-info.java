// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.server.engine;

import org.jspecify.annotations.NullMarked;
