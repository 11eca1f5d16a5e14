// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The releases, completions and withdrawals that the store has not answered yet: whoever closes
 * waits for them. Thread-safe.
 */
final class Endings {

    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

    void add(CompletableFuture<?> ending) {
        if (!ending.isDone()) {
            long number = numbers.incrementAndGet();
            underWay.put(number, ending);
            ending.whenComplete((done, error) -> underWay.remove(number));
        }
    }

    /** Completes when all that are under way now have been answered, or have failed. */
    CompletableFuture<?> all() {
        return CompletableFuture.allOf(underWay.values().toArray(CompletableFuture<?>[]::new));
    }
}
