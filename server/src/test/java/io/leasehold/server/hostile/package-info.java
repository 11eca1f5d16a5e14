// SPDX-License-Identifier: Apache-2.0
/** Clients that mean no good, and one that does. */
@NullMarked
package io.leasehold.server.hostile;

import org.jspecify.annotations.NullMarked;
