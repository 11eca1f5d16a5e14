// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A hand-off between threads that block. */
final class ThreadedHandOff implements HandOff {

    /** A lock as one turn takes it. */
    interface Lock {

        /** Waits for the lock, runs the body and gives the lock up. */
        void hold(Runnable body);
    }

    private final Lock lock;

    ThreadedHandOff(Lock lock) {
        this.lock = lock;
    }

    @Override
    public Latencies run(int waiters, Duration length) {
        Round round = new Round(waiters + 1, length);
        Crowd.run(waiters + 1, waiters + 1, (from, to) -> goRound(round));
        return round.latencies;
    }

    private void goRound(Round round) {
        lock.hold(round::join);
        while (!round.isOver()) {
            lock.hold(round::take);
        }
    }

    /**
     * Turns count from when every thread has had one, and only where the lock changes hands: a thread that was
     * interrupted by the machine on its way back to the queue lets the others go round without it. Guarded by the lock
     * that is measured.
     */
    private static final class Round {

        private final Latencies latencies = new Latencies();
        private final Duration length;
        private int missing;
        private volatile long end; // 0 until all have joined; read without the lock too
        private volatile boolean changedHands; // since then
        private long releasedAt;
        private @Nullable Thread lastHolder;

        Round(int threads, Duration length) {
            this.missing = threads;
            this.length = length;
        }

        void join() {
            if (--missing == 0) {
                releasedAt = Time.system().nanos();
                end = releasedAt + length.toNanos();
            }
        }

        void take() {
            long now = Time.system().nanos();
            if (end != 0 && lastHolder != Thread.currentThread()) {
                latencies.add(now - releasedAt);
                changedHands = true;
            }
            lastHolder = Thread.currentThread();
            releasedAt = Time.system().nanos();
        }

        boolean isOver() {
            return changedHands && Time.system().nanos() - end >= 0;
        }
    }
}
