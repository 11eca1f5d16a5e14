// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A store on which a test decides what becomes of each withdrawal, and of acquires. */
final class FlakyWithdrawals implements LeaseStore {

    /** Decides about one withdrawal, which happens when its supplier is asked. */
    interface Fate {
        CompletionStage<Ending> of(Supplier<CompletionStage<Ending>> withdrawal);
    }

    /** Decides about one acquire, which happens when its supplier is asked. */
    interface AcquireFate {
        CompletionStage<Acquisition> of(Supplier<CompletionStage<Acquisition>> acquire);
    }

    private final LeaseStore store;
    private final Fate fate;
    AcquireFate acquiring = Supplier::get;

    FlakyWithdrawals(LeaseStore store, Fate fate) {
        this.store = store;
        this.fate = fate;
    }

    /** A store whose first withdrawals fail before they happen. */
    FlakyWithdrawals(LeaseStore store, AtomicInteger failures) {
        this(
                store,
                withdrawal -> failures.getAndDecrement() > 0 ? unavailable() : withdrawal.get());
    }

    /** The answer to a withdrawal that did not happen. */
    static CompletionStage<Ending> unavailable() {
        return CompletableFuture.failedFuture(new StoreUnavailableException("it can't be reached"));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return fate.of(() -> store.withdraw(request));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return fate.of(() -> store.withdrawUnlessUsed(request));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return acquiring.of(() -> store.acquire(request));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return store.renew(request);
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return store.rotate(grant);
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return store.release(grant);
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return store.complete(grant, record, keepFor);
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return store.forceRelease(scope, token);
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return store.list(query);
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return store.subscribe(listener);
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
        store.close();
    }
}
