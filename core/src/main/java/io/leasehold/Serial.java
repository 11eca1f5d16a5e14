// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs tasks one at a time in the order they came, on threads of another executor, which must take
 * every task. Each task is a turn of its own there, so that many tasks don't keep a thread to
 * themselves. Thread-safe; the lock is not held while a task runs.
 */
final class Serial implements Executor {

    private static final System.Logger LOG = System.getLogger(Leasehold.class.getName());

    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Queue<Runnable> tasks = new ArrayDeque<>(); // the first one is running

    Serial(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        boolean idle;
        lock.lock();
        try {
            idle = tasks.isEmpty();
            tasks.add(task);
        } finally {
            lock.unlock();
        }
        if (idle) {
            start(task);
        }
    }

    private void start(Runnable task) {
        executor.execute(() -> {
            try {
                ForeignCode.run(
                        task,
                        thrown ->
                                LOG.log(System.Logger.Level.WARNING, "a listener failed", thrown));
            } finally {
                startNext();
            }
        });
    }

    private void startNext() {
        Runnable next;
        lock.lock();
        try {
            tasks.remove();
            next = tasks.peek();
        } finally {
            lock.unlock();
        }
        if (next != null) {
            start(next);
        }
    }
}
