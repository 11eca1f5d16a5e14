// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.internal.TimerHeap;

/**
 * The timers of one thread, and how long it may sleep.
 *
 * <p>To wake a thread costs more than an acquire, and nearly all timers are cancelled. So the thread
 * sleeps on when the timer that it was to wake up for is cancelled, also if no other is left: the
 * next one is likely to be due later, and then wakes nobody.
 *
 * <p>Not thread-safe.
 */
final class TimerQueue {

    private static final long FOREVER = Long.MAX_VALUE / 2;

    private final TimerHeap<Entry> timers = new TimerHeap<>();
    private long wakeAt; // when the thread looks again; no timer is due before

    /** One for a thread that looks for the first time now. */
    TimerQueue(long now) {
        this.wakeAt = now;
    }

    /** Adds a timer; true if the thread sleeps beyond it, and must be woken. */
    boolean add(Entry timer) {
        timers.add(timer);
        if (timer.dueAt - wakeAt >= 0) {
            return false;
        }
        wakeAt = timer.dueAt;
        return true;
    }

    void remove(Entry timer) {
        timers.remove(timer);
    }

    boolean isEmpty() {
        return timers.isEmpty();
    }

    boolean isDue(long now) {
        return timers.isDue(now);
    }

    /** Takes out the timer that is due first. */
    Entry takeFirst() {
        Entry first = timers.first();
        timers.remove(first);
        return first;
    }

    /** How long the thread sleeps from now on, in nanoseconds, if no timer is due. */
    long timeToSleep(long now) {
        if (wakeAt - now <= 0) {
            wakeAt = timers.isEmpty() ? now + FOREVER : timers.first().dueAt;
        }
        return wakeAt - now;
    }

    /** A timer. */
    static final class Entry implements TimerHeap.Timed {
        final long dueAt;
        final Runnable task;
        private int slot = TimerHeap.NOWHERE;

        Entry(long dueAt, Runnable task) {
            this.dueAt = dueAt;
            this.task = task;
        }

        @Override
        public long dueAt() {
            return dueAt;
        }

        @Override
        public int slot() {
            return slot;
        }

        @Override
        public void slot(int slot) {
            this.slot = slot;
        }
    }
}
