// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.spi.Time;

import java.time.Duration;

/** How far the wall clock has moved away from the monotonic one since the start. */
final class Clocks {

    private final Time time;
    private final long startNanos;
    private final long startMillis;

    Clocks(Time time) {
        this.time = time;
        this.startNanos = time.nanos();
        this.startMillis = time.wallMillis();
    }

    Duration step() {
        Duration wall = Duration.ofMillis(time.wallMillis() - startMillis);
        return wall.minusNanos(time.nanos() - startNanos);
    }
}
