// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** The meters of the elections of one family. */
final class TermMeters {

    private final LongAdder leading = new LongAdder();
    private final Timer terms;

    TermMeters(MeterRegistry registry, String family) {
        Gauge.builder("leasehold.election.leading", leading, LongAdder::sum)
                .description("Terms that this process leads in now: 0 or 1 for each office")
                .tag("office", family)
                .register(registry);
        terms = TimerBuckets.timer("leasehold.election.term")
                .description("Terms of this process that ended, and how long it led")
                .tag("office", family)
                .register(registry);
    }

    void begin() {
        leading.increment();
    }

    void end(Duration led) {
        leading.decrement();
        terms.record(led);
    }
}
