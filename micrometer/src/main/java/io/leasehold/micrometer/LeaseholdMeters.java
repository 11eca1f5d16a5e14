// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import io.leasehold.listener.AcquireBegan;
import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.FlightEnded;
import io.leasehold.listener.IdempotentCallEnded;
import io.leasehold.listener.LeaseEnded;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.RenewalEnded;
import io.leasehold.listener.TermBegan;
import io.leasehold.listener.TermEnded;
import io.leasehold.listener.TokenChecked;
import io.leasehold.model.Claim;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.util.function.Function;

/**
 * Meters of what a process sees of its locks. Give it to {@code LeaseholdOptions.withListener}, and
 * to guards by {@code Guard.reportingTo}. {@code docs/metrics.md} lists the meters. Thread-safe.
 *
 * <p>Labels are families of scopes, {@linkplain MeterOptions bounded} in number, and outcomes; never
 * a name as a whole, a token or a holder.
 */
public final class LeaseholdMeters implements LeaseholdListener {

    private final Function<? super Scope, String> family;
    private final MetersByFamily<LockMeters> locks;
    private final MetersByFamily<ResourceMeters> resources;
    private final MetersByFamily<OutcomeTimers<IdempotentCallEnded.Outcome>> calls;
    private final MetersByFamily<OutcomeTimers<FlightEnded.Outcome>> flights;
    private final MetersByFamily<TermMeters> offices;
    private final PerConstant<RenewalEnded.Outcome, Counter> renewals;
    private final PerConstant<RefusalReason, Counter> rejected;
    private final Timer lateness;
    private final Counter missed;

    private LeaseholdMeters(MeterRegistry registry, MeterOptions options) {
        int max = options.maxFamilies();
        family = options.family();
        locks = new MetersByFamily<>(max, name -> new LockMeters(registry, name));
        resources = new MetersByFamily<>(max, name -> new ResourceMeters(registry, name));
        calls = new MetersByFamily<>(
                max,
                name -> new OutcomeTimers<>(
                        IdempotentCallEnded.Outcome.class,
                        "leasehold.idempotent.call",
                        "Idempotent calls",
                        name,
                        registry));
        flights = new MetersByFamily<>(
                max,
                name -> new OutcomeTimers<>(
                        FlightEnded.Outcome.class, "leasehold.flight", "Flights", name, registry));
        offices = new MetersByFamily<>(max, name -> new TermMeters(registry, name));
        renewals = new PerConstant<>(
                RenewalEnded.Outcome.class,
                outcome -> Counter.builder("leasehold.renewals")
                        .description("Renewals that were answered, or failed")
                        .tag("outcome", LockMeters.label(outcome))
                        .register(registry));
        rejected = new PerConstant<>(
                RefusalReason.class,
                reason -> Counter.builder("lease.renewal.rejected")
                        .description("Renewals that the store refused: their leases were lost")
                        .tag("reason", LockMeters.label(reason))
                        .register(registry));
        lateness = TimerBuckets.timer("leasehold.renewal.lateness")
                .description("How long after their plan renewals were sent")
                .register(registry);
        missed = Counter.builder("leasehold.listener.missed")
                .description("Events that were dropped, so that the meters count too few")
                .register(registry);
    }

    /** Meters in the registry, with labels as usual. */
    public static LeaseholdMeters in(MeterRegistry registry) {
        return in(registry, MeterOptions.defaults());
    }

    /** Meters in the registry. */
    public static LeaseholdMeters in(MeterRegistry registry, MeterOptions options) {
        return new LeaseholdMeters(registry, options);
    }

    private LockMeters locks(Claim claim) {
        return locks.of(family.apply(claim.scopes().get(0)));
    }

    private ResourceMeters resources(FencedOperation operation) {
        return resources.of(family.apply(operation.resource()));
    }

    @Override
    public void onAcquireBegin(AcquireBegan acquire) {
        locks(acquire.claim()).begin();
    }

    @Override
    public void onAcquireEnd(AcquireEnded acquire) {
        locks(acquire.began().claim()).end(acquire);
    }

    @Override
    public void onLeaseEnd(LeaseEnded lease) {
        locks(lease.holding().claim()).end(lease);
    }

    @Override
    public void onRenewal(RenewalEnded renewal) {
        renewals.of(renewal.outcome()).increment();
        renewal.refusal().ifPresent(reason -> rejected.of(reason).increment());
        lateness.record(renewal.late());
    }

    @Override
    public void onOperationBegin(FencedOperation operation) {
        resources(operation).begin(operation);
    }

    @Override
    public void onTokenCheck(TokenChecked check) {
        resources(check.operation()).check(check);
    }

    @Override
    public void onOperationEnd(FencedOperation operation) {
        resources(operation).end(operation);
    }

    @Override
    public void onIdempotentCall(IdempotentCallEnded call) {
        calls.of(call.family()).record(call.outcome(), call.took());
    }

    @Override
    public void onFlight(FlightEnded flight) {
        flights.of(flight.family()).record(flight.outcome(), flight.took());
    }

    @Override
    public void onTermBegin(TermBegan term) {
        offices.of(family.apply(term.office())).begin();
    }

    @Override
    public void onTermEnd(TermEnded term) {
        offices.of(family.apply(term.office())).end(term.led());
    }

    @Override
    public void onMissed(long events) {
        missed.increment((double) events);
    }
}
