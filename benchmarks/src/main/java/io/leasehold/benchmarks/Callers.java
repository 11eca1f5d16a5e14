// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/**
 * Callers that call again as soon as they have an answer, for some time.
 *
 * @param calls of all callers together
 * @param perSecond the same by time
 * @param latencies of single calls
 */
record Callers(long calls, double perSecond, Latencies latencies) {

    private static final int KEPT = 1 << 14; // latencies of each caller

    /** Runs so many callers at once; each makes its own call over and over. */
    static Callers run(int callers, Duration length, IntFunction<Runnable> calls) {
        LongAdder count = new LongAdder();
        Latencies all = new Latencies();
        long start = Time.system().nanos();
        long end = start + length.toNanos();
        Crowd.run(callers, callers, (from, to) -> {
            Runnable call = calls.apply(from);
            long[] nanos = new long[KEPT];
            int made = 0;
            long before = Time.system().nanos();
            do {
                call.run();
                long after = Time.system().nanos();
                nanos[made++ & KEPT - 1] = after - before;
                before = after;
            } while (before - end < 0);
            count.add(made);
            synchronized (all) {
                for (int i = 0; i < Math.min(made, KEPT); i++) {
                    all.add(nanos[i]);
                }
            }
        });
        double seconds = (Time.system().nanos() - start) / 1e9;
        return new Callers(count.sum(), count.sum() / seconds, all);
    }
}
