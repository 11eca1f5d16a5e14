// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.time.Duration;

/**
 * The only source of time and timers. Everything that waits, expires or retries takes one, so that
 * a test or a simulation can own it. Thread-safe.
 */
public interface Time {

    /** A monotonic clock in nanoseconds with an arbitrary origin: compare by subtraction only. */
    long nanos();

    /**
     * The wall clock in milliseconds. It decides nothing alone; it only betrays that the machine
     * was suspended.
     */
    long wallMillis();

    /**
     * Runs the task once, after the delay and never before. Tasks are short and don't block; they
     * may run on a thread that all timers share.
     */
    Timer schedule(Duration delay, Runnable task);

    /**
     * The machine's time, with timers on the JDK's own delay thread. Starts no thread of its own.
     */
    static Time system() {
        return SystemTime.SHARED;
    }

    /** A scheduled task. */
    interface Timer {
        /** Keeps the task from running if it has not begun. */
        void cancel();
    }
}
