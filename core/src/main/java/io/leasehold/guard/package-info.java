// SPDX-License-Identifier: Apache-2.0
/**
 * For owners of resources: a {@link io.leasehold.guard.Guard} remembers the highest token its
 * resource has seen and rejects anything older. Leases give liveness; guards give safety.
 */
@NullMarked
package io.leasehold.guard;

import org.jspecify.annotations.NullMarked;
