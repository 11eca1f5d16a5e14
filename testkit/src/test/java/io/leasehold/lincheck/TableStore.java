// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
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
import io.leasehold.table.LeaseTable;
import io.leasehold.table.Reply;
import io.leasehold.table.TableOptions;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;

/**
 * The rules with too few locks. Driven by one thread it says what a store must answer; driven by several it is what a
 * store must not be.
 */
final class TableStore implements LeaseStore {

    private final Time time;
    private final LeaseTable table;
    private final ReentrantLock[] locks;

    private TableStore(Time time, int stripes, int locks) {
        this.time = time;
        this.table =
                new LeaseTable(TableOptions.defaults(), stripes, 0, LeaseTable.Listener.nobody());
        this.locks = new ReentrantLock[locks];
        Arrays.setAll(this.locks, i -> new ReentrantLock());
    }

    /** One stripe and no lock. */
    static TableStore withoutLocks(Time time) {
        return new TableStore(time, 1, 0);
    }

    /** Several stripes, of which an operation locks its own, and all only if its own claim spans them. */
    static TableStore lockingOneStripe(Time time) {
        return new TableStore(time, 4, 4);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        Answer answer = new Answer();
        decide(request.claim(), now -> {
            table.acquire(request, now, answer);
            return answer;
        });
        return answer;
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return decide(request.claim(), now -> table.withdraw(request, now));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return decide(request.claim(), now -> table.withdrawUnlessUsed(request, now));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return decide(request.grant().holding().claim(), now -> table.renew(request, now));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return decide(grant.holding().claim(), now -> table.rotate(grant, now));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return decide(grant.holding().claim(), now -> table.release(grant, now));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return decide(Claim.exclusive(scope), now -> table.forceRelease(scope, token, now));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return decide(grant.holding().claim(), now -> table.complete(grant, record, keepFor, now));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        throw new UnsupportedOperationException("not part of these tests");
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        throw new UnsupportedOperationException("not part of these tests");
    }

    @Override
    public Guarantees guarantees() {
        return new Guarantees(
                "too few locks", false, false, Guarantees.Clock.MONOTONIC, true, List.of());
    }

    @Override
    public CompletionStage<StoreId> storeId() {
        return CompletableFuture.completedFuture(new StoreId(0, 0));
    }

    @Override
    public void close() {}

    private <T> CompletionStage<T> decide(Claim claim, LongFunction<T> decision) {
        int stripe = table.stripeOf(claim);
        int from = stripe == LeaseTable.ALL ? 0 : Math.min(stripe, locks.length);
        int to = stripe == LeaseTable.ALL ? locks.length : Math.min(stripe + 1, locks.length);
        for (int i = from; i < to; i++) {
            locks[i].lock();
        }
        try {
            return CompletableFuture.completedFuture(decision.apply(time.nanos()));
        } finally {
            for (int i = from; i < to; i++) {
                locks[i].unlock();
            }
        }
    }

    private static final class Answer extends CompletableFuture<Acquisition> implements Reply {

        @Override
        public void settle(Acquisition outcome) {
            complete(outcome);
        }

        @Override
        public void fail(LeaseholdException reason) {
            completeExceptionally(reason);
        }
    }
}
