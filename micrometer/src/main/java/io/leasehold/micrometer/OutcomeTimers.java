// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;

/** Timers of one family for each outcome of a call. */
final class OutcomeTimers<E extends Enum<E>> {

    private final PerConstant<E, Timer> timers;

    OutcomeTimers(
            Class<E> outcomes,
            String name,
            String description,
            String family,
            MeterRegistry registry) {
        timers = new PerConstant<>(
                outcomes,
                outcome -> TimerBuckets.timer(name)
                        .description(description)
                        .tag("family", family)
                        .tag("outcome", LockMeters.label(outcome))
                        .register(registry));
    }

    void record(E outcome, Duration took) {
        timers.of(outcome).record(took);
    }
}
