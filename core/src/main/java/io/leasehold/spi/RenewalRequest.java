// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A request to let a lease run again in full.
 *
 * @param grant what must still be held
 * @param ttl the new length, from the moment of the renewal; 100 ms to 24 h. Without it the lease runs
 *     again for as long as it was last granted or renewed for, which the store knows; the ttl of the
 *     grant does not count
 * @param expectedVersion renew only if the lease is still at this version, which is to say at the
 *     expiry that came with it; without it a repeat after a lost reply succeeds, with it the repeat
 *     is a {@code VERSION_MISMATCH}
 */
public record RenewalRequest(Grant grant, Optional<Duration> ttl, OptionalLong expectedVersion) {

    public RenewalRequest {
        ttl.ifPresent(Limits::ttl);
    }

    public static RenewalRequest of(Grant grant, Duration ttl) {
        return new RenewalRequest(grant, Optional.of(ttl), OptionalLong.empty());
    }

    /** For as long as the lease was last granted or renewed for. */
    public static RenewalRequest forItsOwnTtl(Grant grant) {
        return new RenewalRequest(grant, Optional.empty(), OptionalLong.empty());
    }

    /** The same renewal, on the condition that nobody renewed since. */
    public RenewalRequest ifVersion(long version) {
        return new RenewalRequest(grant, ttl, OptionalLong.of(version));
    }
}
