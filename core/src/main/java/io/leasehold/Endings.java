// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The releases, completions and withdrawals that the store has not answered yet: whoever closes
 * waits for them. Thread-safe.
 */
final class Endings {

    /** Each under a key that stands for nothing else. */
    private final Map<Object, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();

    /** Begins one, which is under way from before the store is called until it is answered. */
    <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> ending) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Object key = new Object();
        underWay.put(key, over);
        CompletableFuture<T> begun = ending.get();
        begun.whenComplete((done, error) -> {
            underWay.remove(key);
            over.complete(true);
        });
        return begun;
    }

    /** Completes when all that are under way now have been answered, or have failed. */
    CompletableFuture<?> all() {
        return CompletableFuture.allOf(underWay.values().toArray(CompletableFuture<?>[]::new));
    }
}
