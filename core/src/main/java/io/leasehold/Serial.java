// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one at a time in the order they came, on threads of another executor. Thread-safe; the
 * lock is not held while a task runs.
 */
final class Serial implements Executor {

    private static final System.Logger LOG = System.getLogger(Leasehold.class.getName());

    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    Serial(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        } finally {
            lock.unlock();
        }
        executor.execute(this::drain);
    }

    private void drain() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
            }
        }
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        } finally {
            lock.unlock();
        }
    }
}
