// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The time of a process that can be stopped, as a garbage collector or {@code SIGSTOP} does: its clocks go on, but none
 * of its timers run until it is resumed. Then those that fell due run at once. Thread-safe.
 */
public final class PausableTime implements Time {

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final List<Runnable> held = new ArrayList<>();
    private boolean paused;

    private PausableTime(Time time) {
        this.time = time;
    }

    /** A running process on the given time. */
    public static PausableTime on(Time time) {
        return new PausableTime(time);
    }

    /** Stops the process. */
    public void pause() {
        lock.lock();
        try {
            paused = true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the process go on; the timers it missed run on the calling thread. */
    public void resume() {
        List<Runnable> missed;
        lock.lock();
        try {
            paused = false;
            missed = List.copyOf(held);
            held.clear();
        } finally {
            lock.unlock();
        }
        missed.forEach(Runnable::run);
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public long wallMillis() {
        return time.wallMillis();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        Gate gate = new Gate(task);
        Timer timer = time.schedule(delay, gate);
        return () -> {
            timer.cancel();
            gate.cancel();
        };
    }

    /** Lets a task through, or keeps it while the process is stopped. */
    private final class Gate implements Runnable {

        private final Runnable task;

        Gate(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            lock.lock();
            try {
                if (paused) {
                    held.add(task);
                    return;
                }
            } finally {
                lock.unlock();
            }
            task.run();
        }

        void cancel() {
            lock.lock();
            try {
                held.remove(task);
            } finally {
                lock.unlock();
            }
        }
    }
}
