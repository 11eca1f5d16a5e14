// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A blocking call on a thread of its own, for a test that lets virtual time pass meanwhile. */
final class OtherThread<T> {

    private static final long PATIENCE_SECONDS = 20;

    final Thread thread;
    private final CompletableFuture<T> outcome = new CompletableFuture<>();
    private volatile boolean interruptedAtEnd;
    private @Nullable Object lastBlocker;

    private OtherThread(Callable<T> call) {
        thread = new Thread(
                () -> {
                    try {
                        outcome.complete(call.call());
                    } catch (Throwable e) {
                        interruptedAtEnd = Thread.currentThread().isInterrupted();
                        outcome.completeExceptionally(e);
                    }
                },
                "other-thread");
        thread.setDaemon(true);
        thread.start();
    }

    static <T> OtherThread<T> calls(Callable<T> call) {
        return new OtherThread<>(call);
    }

    static OtherThread<Boolean> runs(Runnable task) {
        return calls(() -> {
            task.run();
            return true;
        });
    }

    /** Returns when the thread waits for something else than the last time, or has ended. */
    OtherThread<T> awaitBlocked() {
        await(() -> {
            Object blocker = LockSupport.getBlocker(thread);
            return !thread.isAlive()
                    || (blocker != null && blocker != lastBlocker && !isLock(blocker));
        });
        lastBlocker = LockSupport.getBlocker(thread);
        return this;
    }

    /** Whether it only waits its turn, and will go on by itself. */
    private static boolean isLock(Object blocker) {
        return blocker.getClass().getName().startsWith(ReentrantLock.class.getName());
    }

    /**
     * Lets time pass until the call is over, but only while the thread sleeps: a thread that is at
     * work, or about to be, would find that hours have gone by between two of its steps. A sleeper
     * has a timer that will wake it, beside the one of the renewals.
     */
    void passTime(World world, Duration step) {
        await(() -> {
            Object blocker = LockSupport.getBlocker(thread);
            boolean asleep = blocker != null && !isLock(blocker);
            if (asleep && world.time.pendingTimers() > 1) {
                world.pass(step);
            }
            return isDone();
        });
    }

    boolean isDone() {
        return outcome.isDone();
    }

    /** Waits for what another thread is about to bring about. */
    static void await(BooleanSupplier condition) {
        long end = Time.system().nanos() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - end > 0) {
                throw new AssertionError("it has not come to pass");
            }
            Thread.onSpinWait();
        }
    }

    T result() {
        return await(outcome);
    }

    /** What another thread is about to bring. */
    static <T> T await(CompletableFuture<T> outcome) {
        try {
            return outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("the other thread has no result", e);
        }
    }

    Throwable failure() {
        try {
            T result = outcome.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            throw new AssertionError("the other thread returned " + result);
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("the other thread has not failed", e);
        }
    }

    /** Whether the thread's interrupt flag was set when its call failed. */
    boolean wasInterruptedAtEnd() {
        return interruptedAtEnd;
    }
}
