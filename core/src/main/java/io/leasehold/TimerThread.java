// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs timers on one daemon thread, which starts with the first. Most timers of a client are
 * cancelled long before they are due; to set and to cancel one costs an entry in a heap, and the
 * thread is woken only for a timer that is due before it would wake up anyway ({@link TimerQueue}).
 * Thread-safe; the lock is not held while a task runs.
 */
final class TimerThread implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Leasehold.class.getName());
    private static final long CLOSE_SECONDS = 1;

    private final Time clock = Time.system();
    private final String name;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Condition changed = lock.newCondition();
    private final TimerQueue timers = new TimerQueue(clock.nanos());
    private @Nullable Thread thread;
    private boolean closed;

    TimerThread(String name) {
        this.name = name;
    }

    /** Runs the task after the delay. */
    Time.Timer schedule(Duration delay, Runnable task) {
        TimerQueue.Entry entry = new TimerQueue.Entry(clock.nanos() + delay.toNanos(), task);
        lock.lock();
        try {
            if (!start()) {
                return clock.schedule(delay, task);
            }
            if (timers.add(entry)) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
        return () -> cancel(entry);
    }

    /** Under the lock: false if it is closed, or the machine has no thread to give. */
    private boolean start() {
        if (closed || thread != null) {
            return !closed;
        }
        Thread made = new Thread(this::run, name);
        made.setDaemon(true);
        try {
            made.start();
        } catch (OutOfMemoryError e) { // unable to create native thread
            return false;
        }
        thread = made;
        return true;
    }

    private void cancel(TimerQueue.Entry entry) {
        lock.lock();
        try {
            timers.remove(entry);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        for (TimerQueue.Entry due = next(); due != null; due = next()) {
            try {
                due.task.run();
            } catch (Throwable e) { // the other timers must not suffer
                LOG.log(System.Logger.Level.ERROR, "a timer's task failed", e);
            }
        }
    }

    /** Waits for the next timer that is due; null when it is closed and none is left. */
    private TimerQueue.@Nullable Entry next() {
        lock.lock();
        try {
            long now = clock.nanos();
            while (!timers.isDue(now)) {
                if (closed && timers.isEmpty()) {
                    return null;
                }
                try {
                    long unused = changed.awaitNanos(timers.timeToSleep(now));
                } catch (InterruptedException e) {
                    // a task has interrupted its own thread, which means nothing here
                }
                now = clock.nanos();
            }
            return timers.takeFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the thread once the timers that are set have run: somebody waits for each. Waits a little
     * for that.
     */
    @Override
    public void close() {
        Thread started;
        lock.lock();
        try {
            closed = true;
            started = thread;
            changed.signal();
        } finally {
            lock.unlock();
        }
        if (started == null || started == Thread.currentThread()) {
            return;
        }
        try {
            started.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
