// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One caller's place on a flight. However the caller ends it early, by cancelling, by a time-out or
 * by completing it, only this caller leaves.
 */
final class Seat<T> extends CompletableFuture<Flight<T>> {

    private final Seats<T> seats;

    /** The one that was taken before, by a caller that has not left as far as is known. */
    @Nullable
    Seat<T> before;

    /** Whether the caller has this future, and not only a thread that waits for it. */
    volatile boolean mayHaveDependents;

    Seat(Seats<T> seats) {
        this.seats = seats;
    }

    /** The flight is over. */
    void land(Flight<T> outcome) {
        super.complete(outcome);
    }

    /** The flight failed. */
    void fail(Throwable error) {
        super.completeExceptionally(error);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return left(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public boolean complete(Flight<T> value) {
        return left(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        return left(super.completeExceptionally(error));
    }

    private boolean left(boolean byCaller) {
        if (byCaller) {
            seats.leave();
        }
        return byCaller;
    }
}
