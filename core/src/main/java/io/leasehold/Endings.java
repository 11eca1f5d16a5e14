// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The releases, completions and withdrawals that the store has not answered yet: whoever closes
 * waits for them. Thread-safe.
 */
final class Endings {

    private final Set<CompletableFuture<Boolean>> underWay = ConcurrentHashMap.newKeySet();

    /** Begins one, which is under way from before the store is called until it is answered. */
    <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> ending) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        underWay.add(over);
        CompletableFuture<T> begun = ending.get();
        begun.whenComplete((done, error) -> {
            underWay.remove(over);
            over.complete(true);
        });
        return begun;
    }

    /** Completes when all that are under way now have been answered, or have failed. */
    CompletableFuture<?> all() {
        return CompletableFuture.allOf(underWay.toArray(CompletableFuture<?>[]::new));
    }
}
