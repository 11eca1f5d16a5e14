// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.metrics;

import io.leasehold.spi.Time;

import java.util.concurrent.TimeUnit;

/** How far the wall clock has moved away from the monotonic one: it was set, or slept. */
final class ClockStep {

    private final Time time;
    private final long nanos;
    private final long wallMillis;

    ClockStep(Time time) {
        this.time = time;
        this.nanos = time.nanos();
        this.wallMillis = time.wallMillis();
    }

    double seconds() {
        long elapsed = TimeUnit.NANOSECONDS.toMillis(time.nanos() - nanos);
        return (time.wallMillis() - wallMillis - elapsed) / 1000.0;
    }
}
