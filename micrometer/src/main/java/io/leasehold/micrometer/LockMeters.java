// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.LeaseEnded;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** The meters of the locks of one family. */
final class LockMeters {

    private final LongAdder waiting = new LongAdder();
    private final LongAdder held = new LongAdder();
    private final PerConstant<AcquireEnded.Outcome, Timer> acquires;
    private final PerConstant<LeaseEnded.Cause, Counter> lost;
    private final Timer holds;

    LockMeters(MeterRegistry registry, String family) {
        acquires = new PerConstant<>(
                AcquireEnded.Outcome.class,
                outcome -> TimerBuckets.timer("leasehold.acquire")
                        .description("Acquires, from the call to their end")
                        .tag("lock", family)
                        .tag("outcome", label(outcome))
                        .register(registry));
        lost = new PerConstant<>(
                LeaseEnded.Cause.class,
                LeaseEnded.Cause::isLoss,
                cause -> Counter.builder("leasehold.leases.lost")
                        .description("Leases that were lost")
                        .tag("lock", family)
                        .tag("reason", label(cause))
                        .register(registry));
        holds = TimerBuckets.timer("leasehold.lease.held")
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
        acquires.of(acquire.outcome()).record(acquire.waited());
    }

    void end(LeaseEnded lease) {
        held.decrement();
        holds.record(lease.heldFor());
        if (lease.cause().isLoss()) {
            lost.of(lease.cause()).increment();
        }
    }

    /** Such as {@code not_renewed}. */
    static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
