// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A withdrawal that is attempted until the store answers. Bounds each attempt, and says how long to
 * wait before the next one. Thread-safe.
 */
final class RepeatedWithdrawal {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final int MAX_DOUBLINGS = 5;

    private final Time time;
    private final Supplier<CompletionStage<Ending>> withdraw;
    private final AtomicInteger failures = new AtomicInteger();

    /** Attempts nothing yet. */
    RepeatedWithdrawal(Time time, Supplier<CompletionStage<Ending>> withdraw) {
        this.time = time;
        this.withdraw = withdraw;
    }

    /**
     * Asks the store once. Fails if the store does or if there is no answer within 10 s: then the
     * withdrawal may still happen.
     */
    CompletionStage<Ending> attempt() {
        CompletableFuture<Ending> outcome = new CompletableFuture<>();
        Time.Timer patience = time.schedule(
                PATIENCE,
                () -> outcome.completeExceptionally(
                        new OutcomeUnknownException("no answer to the withdrawal")));
        CompletionStage<?> unused = ask().whenComplete((ending, failure) -> {
            patience.cancel();
            if (failure == null) {
                outcome.complete(ending);
            } else {
                outcome.completeExceptionally(failure);
            }
        });
        return outcome.whenComplete((ending, failure) ->
                failures.updateAndGet(before -> failure == null ? 0 : before + 1));
    }

    private CompletionStage<Ending> ask() {
        try {
            return withdraw.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** How long to wait before the next attempt: longer after each failure, 30 s at most. */
    Duration pause() {
        int doublings = Math.min(Math.max(failures.get() - 1, 0), MAX_DOUBLINGS);
        Duration pause = Duration.ofSeconds(1L << doublings);
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }
}
