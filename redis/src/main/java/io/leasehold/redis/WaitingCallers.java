// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

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
import io.leasehold.spi.TokenCheck;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A store whose callers read the answers themselves.
 *
 * @param operations those of the store, by a way for callers that wait
 */
record WaitingCallers(LeaseStore store, Operations operations) implements LeaseStore {

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return operations.acquire(request);
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return operations.withdraw(request);
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return operations.withdrawUnlessUsed(request);
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return operations.renew(request);
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return store.renewAll(requests);
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return operations.rotate(grant);
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return operations.release(grant);
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return operations.forceRelease(scope, token);
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return operations.complete(grant, record, keepFor);
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return store.list(query);
    }

    @Override
    public CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        return store.check(scope, token);
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
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return store.onStoreChange(listener);
    }

    @Override
    public void close() {
        store.close();
    }
}
