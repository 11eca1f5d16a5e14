// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Notes what a client sends and when, and hooks into the moment before it does. Thread-safe. */
final class WireTap implements LeaseStore {

    /** Renewals that went out as one message. */
    record Batch(long nanos, List<RenewalRequest> requests) {}

    final List<LeaseRequest> acquires = new CopyOnWriteArrayList<>();
    final List<LeaseRequest> withdrawals = new CopyOnWriteArrayList<>();
    final List<Batch> renewals = new CopyOnWriteArrayList<>();
    final List<Grant> rotations = new CopyOnWriteArrayList<>();
    final List<Grant> releases = new CopyOnWriteArrayList<>();

    /** Those that were not closed yet. */
    final AtomicInteger subscriptions = new AtomicInteger();

    volatile boolean closed;

    /** Runs before each message; what it throws, the call throws. */
    volatile Runnable beforeSending = () -> {};

    /** Runs before a subscription or the store is closed; what it throws, the call throws. */
    volatile Runnable beforeClosing = () -> {};

    private final LeaseStore store;
    private final Time time;

    WireTap(LeaseStore store, Time time) {
        this.store = store;
        this.time = time;
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        acquires.add(request);
        beforeSending.run();
        return store.acquire(request);
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        withdrawals.add(request);
        beforeSending.run();
        return store.withdraw(request);
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        renewals.add(new Batch(time.nanos(), List.of(request)));
        beforeSending.run();
        return store.renew(request);
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        renewals.add(new Batch(time.nanos(), List.copyOf(requests)));
        beforeSending.run();
        return store.renewAll(requests);
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        rotations.add(grant);
        beforeSending.run();
        return store.rotate(grant);
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        releases.add(grant);
        beforeSending.run();
        return store.release(grant);
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        beforeSending.run();
        return store.forceRelease(scope, token);
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        beforeSending.run();
        return store.complete(grant, record, keepFor);
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        beforeSending.run();
        return store.list(query);
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        LeaseEvents.Subscription made = store.subscribe(listener);
        subscriptions.incrementAndGet();
        return () -> {
            subscriptions.decrementAndGet();
            beforeClosing.run();
            made.close();
        };
    }

    @Override
    public Guarantees guarantees() {
        return store.guarantees();
    }

    @Override
    public CompletionStage<StoreId> storeId() {
        return store.storeId();
    }

    @Override
    public void close() {
        closed = true;
        beforeClosing.run();
        store.close();
    }
}
