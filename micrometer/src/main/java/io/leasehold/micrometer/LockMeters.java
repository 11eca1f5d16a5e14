// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.LeaseEnded;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The meters of the locks of one family. */
final class LockMeters {

    private final LongAdder waiting = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final Map<AcquireEnded.Outcome, Timer> acquires =
            new EnumMap<>(AcquireEnded.Outcome.class);
    private final Map<LeaseEnded.Cause, Counter> lost = new EnumMap<>(LeaseEnded.Cause.class);
    private final Timer holds;

    LockMeters(MeterRegistry registry, String family) {
        for (AcquireEnded.Outcome outcome : AcquireEnded.Outcome.values()) {
            acquires.put(
                    outcome,
                    Buckets.timer("leasehold.acquire")
                            .description("Acquires, from the call to their end")
                            .tag("lock", family)
                            .tag("outcome", label(outcome))
                            .register(registry));
        }
        for (LeaseEnded.Cause cause : LeaseEnded.Cause.values()) {
            if (cause.isLoss()) {
                lost.put(
                        cause,
                        Counter.builder("leasehold.leases.lost")
                                .description("Leases that were lost")
                                .tag("lock", family)
                                .tag("reason", label(cause))
                                .register(registry));
            }
        }
        holds = Buckets.timer("leasehold.lease.held")
                .description("How long leases were held")
                .tag("lock", family)
                .register(registry);
        Gauge.builder("leasehold.acquires.waiting", waiting, LongAdder::sum)
                .description("Acquires that have begun and not ended")
                .tag("lock", family)
                .register(registry);
        Gauge.builder("leasehold.leases.active", held, LongAdder::sum)
                .description("Leases that this process holds")
                .tag("lock", family)
                .register(registry);
    }

    void begin() {
        waiting.increment();
    }

    void end(AcquireEnded acquire) {
        waiting.decrement();
        if (acquire.outcome() == AcquireEnded.Outcome.GRANTED) {
            held.increment();
        }
        acquires.get(acquire.outcome()).record(acquire.waited());
    }

    void end(LeaseEnded lease) {
        held.decrement();
        holds.record(lease.heldFor());
        Counter losses = lost.get(lease.cause());
        if (losses != null) {
            losses.increment();
        }
    }

    /** Such as {@code not_renewed}. */
    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
