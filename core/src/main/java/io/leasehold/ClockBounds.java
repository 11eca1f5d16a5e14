// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.time.Duration;

/**
 * How far the clocks of client and store may disagree while a client's own deadline still comes
 * before the store's.
 *
 * @param drift the most by which a clock's rate may be off, 0 to 0.1; 1 % by default
 * @param margin a fixed safety margin, 0 to 1 s; 5 ms by default
 */
public record ClockBounds(double drift, Duration margin) {

    public ClockBounds {
        if (!(drift >= 0 && drift <= 0.1)) {
            throw new IllegalArgumentException("clock drift " + drift + " is outside 0 to 0.1");
        }
        if (margin.isNegative() || margin.compareTo(Duration.ofSeconds(1)) > 0) {
            throw new IllegalArgumentException("clock margin " + margin + " is outside 0 to 1 s");
        }
    }

    /**
     * The shortest lease, in whole milliseconds, that a client with these bounds can rely on for
     * the given time.
     */
    Duration leaseFor(Duration relied) {
        double nanos = (relied.toNanos() + margin.toNanos()) / (1 - 2 * drift);
        return Duration.ofMillis((long) Math.ceil(nanos / 1_000_000));
    }

    /** One percent and five milliseconds. */
    public static ClockBounds defaults() {
        return new ClockBounds(0.01, Duration.ofMillis(5));
    }
}
