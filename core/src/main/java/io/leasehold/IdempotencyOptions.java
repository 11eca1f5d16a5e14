// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How an {@link Idempotency} behaves. Start from {@link #keeping} and vary it by the {@code with…}
 * methods.
 *
 * @param keepFor how long outcomes are kept: for at least as long as callers may repeat
 * @param ttl how long after the death of a worker another may run
 * @param waitAtMost how long a call waits while it runs elsewhere
 * @param remembered failures that are stored as the outcome; any other is not, so that the next
 *     call runs again
 */
public record IdempotencyOptions(
        Duration keepFor,
        Duration ttl,
        Duration waitAtMost,
        List<Class<? extends Throwable>> remembered) {

    public IdempotencyOptions {
        retention(keepFor);
        Limits.ttl(ttl);
        Limits.waiting(waitAtMost);
        remembered = List.copyOf(remembered);
    }

    /** Outcomes are kept for this long; a lease of 30 s, a wait of 10 s, no failure remembered. */
    public static IdempotencyOptions keeping(Duration keepFor) {
        return new IdempotencyOptions(
                keepFor, Duration.ofSeconds(30), Duration.ofSeconds(10), List.of());
    }

    public IdempotencyOptions withTtl(Duration newTtl) {
        return new IdempotencyOptions(keepFor, newTtl, waitAtMost, remembered);
    }

    public IdempotencyOptions withWait(Duration atMost) {
        return new IdempotencyOptions(keepFor, ttl, atMost, remembered);
    }

    /** Stores failures of this type, subtypes included, as the outcome. */
    public IdempotencyOptions remembering(Class<? extends Throwable> failure) {
        List<Class<? extends Throwable>> more = new ArrayList<>(remembered);
        more.add(failure);
        return new IdempotencyOptions(keepFor, ttl, waitAtMost, more);
    }

    boolean remembers(Throwable failure) {
        return remembered.stream().anyMatch(type -> type.isInstance(failure));
    }

    static Duration retention(Duration keepFor) {
        if (keepFor.isZero()) {
            throw new IllegalArgumentException(
                    "a retention of zero: an outcome that is not kept can't be replayed");
        }
        return Limits.keepFor(keepFor);
    }
}
