// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.Arrays;

/** The latest million latencies, and how many there were. Not thread-safe. */
final class Latencies {

    private static final int KEPT = 1 << 20;

    private final long[] nanos = new long[KEPT];
    private long count;

    void add(long latency) {
        nanos[(int) (count++ & KEPT - 1)] = latency;
    }

    long count() {
        return count;
    }

    /** What the given part of the latencies, from 0 to 1, stayed below. */
    double quantile(double part) {
        if (count == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        long[] sorted = Arrays.copyOf(nanos, (int) Math.min(count, KEPT));
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1, (long) (part * sorted.length))];
    }
}
