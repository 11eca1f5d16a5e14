// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waiting for real servers and processes, which no {@link VirtualTime} can drive. Nothing here waits
 * longer than it must, or for ever.
 */
public final class RealTime {

    /** Longer than anything takes on a busy machine. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private RealTime() {}

    /** The answer, or the store's exception. */
    public static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + PATIENCE, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Repeats what fails because of the store, as it may while a connection is made anew. */
    public static <T> T eventually(Supplier<T> attempt) {
        long start = Time.system().nanos();
        while (true) {
            try {
                return attempt.get();
            } catch (LeaseholdException e) {
                if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                    throw new AssertionError("still so after " + PATIENCE, e);
                }
                pass(PAUSE);
            }
        }
    }

    /** Returns as soon as the condition holds. */
    public static void until(String what, BooleanSupplier condition) {
        long start = Time.system().nanos();
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pass(PAUSE);
        }
    }

    /** Returns after so long. */
    public static void pass(Duration span) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Time.system().schedule(span, () -> over.complete(true));
        over.join();
    }
}
