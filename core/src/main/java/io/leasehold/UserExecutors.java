// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Runs the user's code: listeners, dependents of futures, work. Never on a thread that renewals,
 * time-outs or other callers need. Thread-safe.
 */
final class UserExecutors {

    private static final Duration ANOTHER_TRY = Duration.ofMillis(100);

    private final Executor callbacks;
    private final Executor losses;
    private final Executor workers;
    private final Time time;

    /**
     * @param callbacks for listeners and dependents of futures
     * @param losses for listeners of losses, which nothing else may hold up
     * @param workers for the work of flights and idempotent calls, and for terms
     */
    UserExecutors(Executor callbacks, Executor losses, Executor workers, Time time) {
        this.callbacks = callbacks;
        this.losses = losses;
        this.workers = workers;
        this.time = time;
    }

    /** Runs the task where listeners and dependents of the user's futures run. */
    void callBack(Runnable task) {
        executeOrLater(callbacks, new Task(task));
    }

    /** Runs the task where listeners of losses run. */
    void tellLoss(Runnable task) {
        executeOrLater(losses, new Task(task));
    }

    /** Has a worker do the task; the handler is told if no thread can be had for it. */
    void work(Runnable work, Consumer<Throwable> handler) {
        Task task = new Task(work);
        try {
            workers.execute(task);
        } catch (Throwable refused) { // or the machine has no thread to give
            task.throwIfBegun(refused);
            handler.accept(refused);
        }
    }

    /**
     * Completes a future that the user has as the given one ends, where dependents may run. Not by
     * {@code whenComplete}, which wraps an error for its own dependents, and for that reads its
     * message, which may fail.
     */
    <T> void publish(CompletableFuture<T> ended, CompletableFuture<T> published) {
        ended.handle((value, error) -> {
            callBack(() -> {
                if (error == null) {
                    published.complete(value);
                } else {
                    published.completeExceptionally(Client.unwrapped(error));
                }
            });
            return true;
        });
    }

    /** News must reach whoever waits for it, also while the machine has no thread to give. */
    private void executeOrLater(Executor executor, Task task) {
        try {
            executor.execute(task);
        } catch (Throwable refused) {
            task.throwIfBegun(refused);
            time.schedule(ANOTHER_TRY, () -> executeOrRun(executor, task));
        }
    }

    private static void executeOrRun(Executor executor, Task task) {
        try {
            executor.execute(task);
        } catch (Throwable refused) {
            task.throwIfBegun(refused);
            task.run();
        }
    }

    /** A task for an executor that may run it at once, and then throws what the task throws. */
    private static final class Task implements Runnable {
        private final Runnable task;
        private volatile boolean begun;

        Task(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            begun = true;
            task.run();
        }

        /** Throws on what the executor threw, unless it has refused the task. */
        void throwIfBegun(Throwable thrown) {
            if (!begun) {
                return;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) thrown;
        }
    }
}
