// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * A request to let a lease run again in full.
 *
 * @param grant what must still be held
 * @param ttl the new length, from the moment of the renewal; 100 ms to 24 h
 * @param expectedVersion renew only if the lease is still at this version, which is to say at the
 *     expiry that came with it; without it a repeat after a lost reply succeeds, with it the repeat
 *     is a {@code VERSION_MISMATCH}
 */
public record RenewalRequest(Grant grant, Duration ttl, OptionalLong expectedVersion) {

    public RenewalRequest {
        Limits.ttl(ttl);
    }

    public static RenewalRequest of(Grant grant, Duration ttl) {
        return new RenewalRequest(grant, ttl, OptionalLong.empty());
    }

    /** The same renewal, on the condition that nobody renewed since. */
    public RenewalRequest ifVersion(long version) {
        return new RenewalRequest(grant, ttl, OptionalLong.of(version));
    }
}
