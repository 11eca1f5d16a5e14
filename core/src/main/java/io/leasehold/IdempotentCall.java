// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Limits;

import java.time.Duration;
import java.util.Optional;

/**
 * One call of an {@link Idempotency}, where it differs from the options. Made by {@link #of} and
 * varied by the other methods.
 *
 * @param key what the caller repeats to mean the same call
 * @param digest what the payload boils down to; a repeat must have the same
 * @param waitAtMost how long to wait while the call runs elsewhere
 * @param keepFor how long its outcome is kept
 */
public record IdempotentCall(
        String key, Digest digest, Optional<Duration> waitAtMost, Optional<Duration> keepFor) {

    public IdempotentCall {
        waitAtMost.ifPresent(Limits::waiting);
        keepFor.ifPresent(IdempotencyOptions::retention);
    }

    public static IdempotentCall of(String key, Digest digest) {
        return new IdempotentCall(key, digest, Optional.empty(), Optional.empty());
    }

    public IdempotentCall waitingAtMost(Duration atMost) {
        return new IdempotentCall(key, digest, Optional.of(atMost), keepFor);
    }

    public IdempotentCall keptFor(Duration retention) {
        return new IdempotentCall(key, digest, waitAtMost, Optional.of(retention));
    }
}
