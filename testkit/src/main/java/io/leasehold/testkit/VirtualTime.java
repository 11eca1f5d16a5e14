// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until a test moves it. Timers run on the thread that does so, in the order in which they
 * are due, and each sees the clock at exactly its own due time.
 *
 * <p>Thread-safe. Tasks run without any lock held, so they may read, schedule, cancel, and even advance. A task that
 * throws ends the advance there and then, and so do timers that set each other for the same moment without end: a test
 * should hear of it.
 */
public final class VirtualTime implements Time {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int MOST_AT_ONCE = 1_000_000;
    private static final Instant WALL_ORIGIN = Instant.parse("2026-01-01T00:00:00Z");

    private final ReentrantLock lock = new ReentrantLock(); // guards everything below
    private final TreeSet<Scheduled> timers = new TreeSet<>();
    private long nanos;
    private long wallNanos;
    private long lastSequence;

    private VirtualTime(long origin) {
        this.nanos = origin;
        this.wallNanos = WALL_ORIGIN.toEpochMilli() * NANOS_PER_MILLI;
    }

    /** Time whose monotonic clock starts at zero. */
    public static VirtualTime create() {
        return startingAt(0);
    }

    /**
     * Time whose monotonic clock starts at the given reading. Shortly before {@link Long#MAX_VALUE} it will overflow
     * in the course of the test, which only code that compares by subtraction survives.
     */
    public static VirtualTime startingAt(long origin) {
        return new VirtualTime(origin);
    }

    @Override
    public long nanos() {
        lock.lock();
        try {
            return nanos;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long wallMillis() {
        lock.lock();
        try {
            return Math.floorDiv(wallNanos, NANOS_PER_MILLI);
        } finally {
            lock.unlock();
        }
    }

    /** Sets a timer. It runs within an {@link #advance}, never within this call, however short the delay. */
    @Override
    public Timer schedule(Duration delay, Runnable task) {
        lock.lock();
        try {
            long due = nanos + Math.max(0, delay.toNanos());
            Scheduled timer = new Scheduled(due, ++lastSequence, task);
            timers.add(timer);
            return () -> cancel(timer);
        } finally {
            lock.unlock();
        }
    }

    /** Lets time pass on both clocks, and runs what falls due, including what that schedules within the span. */
    public void advance(Duration span) {
        requireForward(span);
        long end = nanos() + span.toNanos();
        long moment = nanos();
        int runs = 0;
        for (Scheduled timer = next(end); timer != null; timer = next(end)) {
            runs = timer.due == moment ? runs + 1 : 0;
            moment = timer.due;
            if (runs > MOST_AT_ONCE) {
                throw new IllegalStateException(
                        "timers set each other for ever at the same moment: " + timer.task);
            }
            timer.task.run();
        }
    }

    /** Sets the wall clock forward or, by a negative step, back. No other time passes. */
    public void stepWall(Duration step) {
        lock.lock();
        try {
            wallNanos += step.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** What a suspended machine sees when it wakes: the wall clock has moved on, the monotonic clock has not. */
    public void suspend(Duration span) {
        requireForward(span);
        stepWall(span);
    }

    /** How many timers are set and have neither run nor been cancelled. */
    public int pendingTimers() {
        lock.lock();
        try {
            return timers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Moves to the next timer that is due by the given time and takes it, or moves to that time. */
    private @Nullable Scheduled next(long end) {
        lock.lock();
        try {
            Scheduled first = timers.isEmpty() ? null : timers.first();
            if (first != null && first.due - end > 0) {
                first = null;
            }
            if (first != null) {
                timers.remove(first);
            }
            moveTo(first == null ? end : first.due);
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Never back: a task or another thread may have advanced further meanwhile. */
    private void moveTo(long target) {
        long forward = Math.max(0, target - nanos);
        nanos += forward;
        wallNanos += forward;
    }

    private void cancel(Scheduled timer) {
        lock.lock();
        try {
            timers.remove(timer);
        } finally {
            lock.unlock();
        }
    }

    private static void requireForward(Duration span) {
        if (span.isNegative()) {
            throw new IllegalArgumentException("time can't pass by " + span);
        }
    }

    /** A timer, ordered by due time, by subtraction, then by when it was set. */
    private record Scheduled(long due, long sequence, Runnable task)
            implements Comparable<Scheduled> {

        @Override
        public int compareTo(Scheduled other) {
            return due != other.due
                    ? Long.signum(due - other.due)
                    : Long.compare(sequence, other.sequence);
        }
    }
}
