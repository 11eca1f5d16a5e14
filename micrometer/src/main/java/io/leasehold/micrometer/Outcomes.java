// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Timers of one family for each outcome of a call. */
final class Outcomes<E extends Enum<E>> {

    private final Map<E, Timer> timers;

    Outcomes(
            Class<E> outcomes,
            String name,
            String description,
            String family,
            MeterRegistry registry) {
        timers = new EnumMap<>(outcomes);
        for (E outcome : outcomes.getEnumConstants()) {
            timers.put(
                    outcome,
                    Buckets.timer(name)
                            .description(description)
                            .tag("family", family)
                            .tag("outcome", LockMeters.label(outcome))
                            .register(registry));
        }
    }

    void record(E outcome, Duration took) {
        timers.get(outcome).record(took);
    }
}
