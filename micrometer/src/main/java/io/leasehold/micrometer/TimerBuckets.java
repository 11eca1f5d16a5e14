// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.micrometer.core.instrument.Timer;

import java.time.Duration;

/** Makes timers with the buckets that all of ours have, from 1 ms to 1 min. */
final class TimerBuckets {

    private static final Duration[] BOUNDS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1)
    };

    private TimerBuckets() {}

    static Timer.Builder timer(String name) {
        return Timer.builder(name).serviceLevelObjectives(BOUNDS);
    }
}
