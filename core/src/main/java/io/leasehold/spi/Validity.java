// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.time.Duration;

/**
 * What a client needs to compute its deadline, which it counts from before it sent the request:
 * until then it can't know how much of the lease has passed. Both are lengths on the store's clock;
 * instants never cross the wire.
 *
 * @param inStore the time that this attempt spent in the store, queueing included
 * @param remaining what was left of the lease when the reply was made
 */
public record Validity(Duration inStore, Duration remaining) {}
