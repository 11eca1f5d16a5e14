// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How long calls of one kind took: all of them up to a bound, then a sample that every later call
 * has a fair share of. Thread-safe.
 */
final class Latencies {

    private static final int KEPT = 1 << 18;

    /**
     * What came of it, in nanoseconds.
     *
     * @param name of the call
     * @param count of all
     */
    record Summary(String name, long count, long p50, long p95, long p99, long max) {

        Map<String, Object> json() {
            return Json.object(
                    "call", name,
                    "count", count,
                    "p50Millis", p50 / 1e6,
                    "p95Millis", p95 / 1e6,
                    "p99Millis", p99 / 1e6,
                    "maxMillis", max / 1e6);
        }
    }

    private final String name;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final long[] kept = new long[KEPT];
    private long count;
    private long max;
    private long stride = 1;
    private int size;

    Latencies(String name) {
        this.name = name;
    }

    void add(long nanos) {
        lock.lock();
        try {
            max = Math.max(max, nanos);
            if (count++ % stride == 0) {
                if (size == KEPT) {
                    thin();
                }
                kept[size++] = nanos;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Keeps every second one, and from now on half as many as before. */
    private void thin() {
        for (int i = 0; i < KEPT / 2; i++) {
            kept[i] = kept[2 * i];
        }
        size = KEPT / 2;
        stride *= 2;
    }

    long count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    Summary summary() {
        lock.lock();
        try {
            long[] sorted = Arrays.copyOf(kept, size);
            Arrays.sort(sorted);
            return new Summary(name, count, at(sorted, 50), at(sorted, 95), at(sorted, 99), max);
        } finally {
            lock.unlock();
        }
    }

    private static long at(long[] sorted, int percent) {
        return sorted.length == 0
                ? 0
                : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }
}
