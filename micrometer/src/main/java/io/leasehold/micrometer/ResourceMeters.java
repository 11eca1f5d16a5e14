// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.TokenChecked;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.concurrent.atomic.LongAdder;

/** The meters of the protected resources of one family. */
final class ResourceMeters {

    /** The meters of one kind of operation. */
    private record OfKind(Counter conflicts, Timer validation, LongAdder active) {}

    private final PerConstant<FencedOperation.Kind, OfKind> kinds;
    private final Counter stale;

    ResourceMeters(MeterRegistry registry, String family) {
        kinds = new PerConstant<>(
                FencedOperation.Kind.class,
                kind -> ofKind(registry, family, LockMeters.label(kind)));
        stale = Counter.builder("stale.fencing.token")
                .description("Tokens that a guard refused because it has seen a newer one")
                .tag("resource", family)
                .register(registry);
    }

    private static OfKind ofKind(MeterRegistry registry, String family, String operation) {
        LongAdder active = new LongAdder();
        Gauge.builder("active.fenced.operations", active, LongAdder::sum)
                .description("Operations under way that need a valid token")
                .tag("resource", family)
                .tag("operation", operation)
                .register(registry);
        return new OfKind(
                Counter.builder("fencing.token.conflicts")
                        .description("Operations refused because somebody came with a newer token")
                        .tag("resource", family)
                        .tag("operation", operation)
                        .register(registry),
                TimerBuckets.timer("fencing.validation.duration")
                        .description("Checks of a token, without what was done then")
                        .tag("resource", family)
                        .tag("operation", operation)
                        .register(registry),
                active);
    }

    void begin(FencedOperation operation) {
        kinds.of(operation.kind()).active.increment();
    }

    void end(FencedOperation operation) {
        kinds.of(operation.kind()).active.decrement();
    }

    void check(TokenChecked check) {
        FencedOperation.Kind kind = check.operation().kind();
        OfKind meters = kinds.of(kind);
        meters.validation.record(check.took());
        if (check.outcome() == TokenChecked.Outcome.STALE) {
            meters.conflicts.increment();
            if (kind != FencedOperation.Kind.VALIDATE) {
                stale.increment();
            }
        }
    }
}
