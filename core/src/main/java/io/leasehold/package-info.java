// SPDX-License-Identifier: Apache-2.0
/**
 * For users: {@link io.leasehold.Leasehold} opens everything on a store, {@link
 * io.leasehold.FencedLock} is acquired, {@link io.leasehold.Lease} is what is held, with the
 * fencing token to send along with every write.
 */
@NullMarked
package io.leasehold;

import org.jspecify.annotations.NullMarked;
