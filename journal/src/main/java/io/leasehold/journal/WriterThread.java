// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread that writes. It takes one task at a time; asking for a second one before the first has
 * begun is an error of the caller. It does not spin: a busy thread holds up those of the system that
 * a force waits for.
 */
final class WriterThread implements Executor {

    private final AtomicReference<@Nullable Runnable> task = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean sleeping;
    private volatile boolean closed;

    WriterThread(String name) {
        thread = new Thread(this::work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void execute(Runnable command) {
        if (!task.compareAndSet(null, command)) {
            throw new IllegalStateException("the writer has a task already");
        }
        if (sleeping) {
            LockSupport.unpark(thread);
        }
    }

    private void work() {
        while (true) {
            Runnable next = task.getAndSet(null);
            if (next != null) {
                next.run();
            } else if (closed) {
                return;
            } else {
                waitForTask();
            }
        }
    }

    private void waitForTask() {
        sleeping = true;
        while (task.get() == null && !closed) {
            LockSupport.park(this);
            boolean unused = Thread.interrupted(); // nobody has anything to say to it that way
        }
        sleeping = false;
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Lets the thread end after the task that it has, and waits for that if it is another. */
    void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive() && !isCurrent()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
