// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.StoreId;
import io.leasehold.spi.LeaseStore;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * An answer, and the store that gave it.
 *
 * @param storeId empty if it is not known yet
 */
record Told<A>(A answer, Optional<StoreId> storeId) {

    /** Asks the store; its id is looked up behind the answer, so it is never an older one. */
    static <A> CompletionStage<Told<A>> by(
            LeaseStore store, Function<LeaseStore, ? extends CompletionStage<A>> ask) {
        return ask.apply(store).thenApply(answer -> new Told<>(answer, idOf(store)));
    }

    /** The id of a store, if it is known: no answer waits for it. */
    static Optional<StoreId> idOf(LeaseStore store) {
        CompletableFuture<StoreId> id = store.storeId().toCompletableFuture();
        return id.isDone() && !id.isCompletedExceptionally()
                ? Optional.of(id.join())
                : Optional.empty();
    }

    /** An answer for which no store was asked. */
    static <A> Told<A> byNobody(A answer) {
        return new Told<>(answer, Optional.empty());
    }

    /** The id as it is sent: empty if it is not known. */
    String store() {
        return storeId.map(StoreId::toString).orElse("");
    }
}
