// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.benchmarks.LockClient.NamedLock;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A hand-off between clients: each has the lock for a moment, in which those before it get back in
 * line, then gives it up and does not ask again before somebody else has it. So a holder can't take
 * its own lock back before the others hear that it is free.
 *
 * @param locks the same lock, of as many clients; each is used by a thread of its own
 */
record ClientHandOff(List<NamedLock> locks) implements HandOff {

    private static final Duration HOLD = Duration.ofMillis(2);
    private static final int WARM_UP = 4; // as a part of the length
    private static final long BETWEEN_LOOKS = Duration.ofMillis(1).toNanos();

    @Override
    public Latencies run(int waiters, Duration length) {
        Round round = new Round(waiters + 1, length);
        Crowd.run(waiters + 1, waiters + 1, (from, to) -> goRound(locks.get(from), round));
        return round.latencies;
    }

    private static void goRound(NamedLock lock, Round round) {
        round.join();
        while (!round.isOver()) {
            lock.acquire();
            LockSupport.unpark(round.take(Time.system().nanos()));
            pause(round);
            round.give();
            lock.release();
            while (round.isLast() && !round.isOver()) {
                LockSupport.parkNanos(round, BETWEEN_LOOKS);
            }
        }
    }

    /** Others may unpark a thread early. */
    private static void pause(Round round) {
        long end = Time.system().nanos() + HOLD.toNanos();
        for (long left = HOLD.toNanos();
                left > 0 && !round.isOver();
                left = end - Time.system().nanos()) {
            LockSupport.parkNanos(round, left);
        }
    }

    /**
     * Turns count from some time after the last thread has asked, whether each had one by then or
     * not: there are locks that let some wait for minutes. The clients share nothing but the
     * server, so that their lock orders nothing within this process: hence the monitor.
     */
    private static final class Round {

        private final Latencies latencies = new Latencies();
        private final Duration length;
        private int missing;
        private long start; // as long as nobody is missing
        private long givenAt;
        private @Nullable Thread last;

        Round(int threads, Duration length) {
            this.missing = threads;
            this.length = length;
        }

        synchronized void join() {
            if (--missing == 0) {
                start = Time.system().nanos() + length.dividedBy(WARM_UP).toNanos();
            }
        }

        /** Returns who had it before, if anybody. */
        synchronized @Nullable Thread take(long now) {
            if (missing == 0 && now - start > 0 && last != null && !isOver()) {
                latencies.add(now - givenAt);
            }
            Thread before = last;
            last = Thread.currentThread();
            return before;
        }

        synchronized void give() {
            givenAt = Time.system().nanos();
        }

        synchronized boolean isLast() {
            return last == Thread.currentThread();
        }

        /** Those who still wait for the lock then have it one after the other, uncounted. */
        synchronized boolean isOver() {
            return missing == 0
                    && latencies.count() > 0
                    && Time.system().nanos() - start >= length.toNanos();
        }
    }
}
