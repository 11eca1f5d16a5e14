// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Time;

import java.time.Duration;

/**
 * The clocks of a machine that disagrees with another: off by a constant and running at a rate of its own. Its timers
 * fire when its own clock has advanced by the delay. Thread-safe, as the time below is.
 */
public final class SkewedTime implements Time {

    private final Time base;
    private final long origin;
    private final long wallOrigin;
    private final Duration offset;
    private final double drift;

    private SkewedTime(Time base, Duration offset, double rate) {
        this.base = base;
        this.origin = base.nanos();
        this.wallOrigin = base.wallMillis();
        this.offset = offset;
        this.drift = rate - 1;
    }

    /**
     * A view of the given time.
     *
     * @param offset how far both clocks are ahead from now on
     * @param rate how fast they run: 1.01 is one percent fast; above 0
     */
    public static SkewedTime of(Time base, Duration offset, double rate) {
        if (!(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("a clock can't run at the rate " + rate);
        }
        return new SkewedTime(base, offset, rate);
    }

    @Override
    public long nanos() {
        return origin + offset.toNanos() + skewed(base.nanos() - origin);
    }

    @Override
    public long wallMillis() {
        return wallOrigin + offset.toMillis() + skewed(base.wallMillis() - wallOrigin);
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        long elapsed = base.nanos() - origin;
        long due = skewed(elapsed) + Math.max(0, delay.toNanos());
        long wait = (long) (Math.max(0, delay.toNanos()) / (1 + drift));
        while (skewed(elapsed + wait) < due) {
            wait++; // rounding must never make a timer early
        }
        return base.schedule(Duration.ofNanos(wait), task);
    }

    /** The drift is computed apart from the span, so that a rate of 1 is exact however long the span. */
    private long skewed(long span) {
        return span + (long) (span * drift);
    }
}
