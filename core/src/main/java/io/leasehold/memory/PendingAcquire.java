// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Polled;
import io.leasehold.spi.TokenState;
import io.leasehold.table.Deliveries;
import io.leasehold.table.Reply;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The stage of one acquire. An answer that comes before the caller has the stage completes it on
 * the spot; one that comes later, from within somebody else's operation and under its lock, is left
 * for delivery.
 */
final class PendingAcquire extends CompletableFuture<Acquisition> implements Reply {

    private @Nullable Deliveries
            deliveries; // null until the caller has the stage; guarded by the stripe's lock

    private TokenState state = TokenState.NONE; // written before the stage is completed

    /**
     * From here on dependents may be attached, so that answers must be delivered without a lock.
     */
    void handOut(Deliveries laterAnswers) {
        deliveries = laterAnswers;
    }

    /** With the answer, what a node of a quorum says beside it. */
    Polled<Acquisition> polled(Acquisition answer) {
        return new Polled<>(answer, state);
    }

    @Override
    public void settle(Acquisition.Granted granted, TokenState tokenState) {
        state = tokenState;
        settle(granted);
    }

    @Override
    public void settle(Acquisition outcome) {
        if (deliveries == null) {
            complete(outcome);
        } else {
            deliveries.answer(() -> complete(outcome));
        }
    }

    @Override
    public void fail(LeaseholdException reason) {
        if (deliveries == null) {
            completeExceptionally(reason);
        } else {
            deliveries.answer(() -> completeExceptionally(reason));
        }
    }
}
