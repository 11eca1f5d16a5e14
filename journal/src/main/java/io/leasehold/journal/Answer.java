// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseholdException;
import io.leasehold.table.Deliveries;

import java.util.concurrent.CompletableFuture;

/**
 * An answer that waits for the disk.
 *
 * @param stage what the caller has
 * @param value what it will be told
 */
record Answer<T>(CompletableFuture<T> stage, T value) implements Outgoing {

    @Override
    public void send(Deliveries deliveries) {
        deliveries.answer(() -> stage.complete(value));
    }

    @Override
    public void fail(Deliveries deliveries, LeaseholdException reason) {
        deliveries.answer(() -> stage.completeExceptionally(reason));
    }
}
