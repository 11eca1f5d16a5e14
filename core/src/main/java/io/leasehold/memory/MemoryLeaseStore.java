// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
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
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenCheck;
import io.leasehold.table.Deliveries;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.StoreThread;
import io.leasehold.table.TableOptions;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/**
 * Leases in the memory of this process: for one process, for tests, and behind a server that may
 * forget. Tokens are 1, 2, 3…; everything is gone with the process. Thread-safe.
 *
 * <p><b>Why this is safe.</b> All decisions are made by one {@link LeaseTable}, each under the lock
 * of the stripe that it touches, or under all of them where a lease spans stripes. Store time is
 * read after the lock was taken, from a monotonic clock, so within a stripe it never runs
 * backwards; stripes need not agree on time, because nothing in one depends on a time in another
 * unless both locks are held. Tokens come from one atomic counter and are drawn under the lock, so
 * overlapping scopes, which share a stripe, see them in grant order.
 *
 * <p>Expiry needs no thread: it is judged by the next operation. Only while someone waits, a timer
 * is set for the moment when the lease in front would run out. Answers to waiters leave after the
 * lock was given up, and then events. On the machine's time, one thread of the store's acts upon
 * alarms, another tells events, and a third delivers answers that a caller leaves because they are
 * many; each is there while there are any. On another time the thread that caused them does all.
 */
public final class MemoryLeaseStore implements LeaseStore {

    private static final Guarantees GUARANTEES =
            new Guarantees("memory", false, false, Guarantees.Clock.MONOTONIC, true, List.of());

    private final StoreId id;
    private final Time time;
    private final long origin;
    private final Deliveries deliveries;
    private final LeaseTable table;
    private final StripeLocks locks = new StripeLocks();
    private final WakeUps wakeUps;
    private boolean closed; // written under all locks, read under any

    private MemoryLeaseStore(TableOptions options, Time time, StoreId id) {
        this.id = id;
        this.time = time;
        this.origin = time.nanos();
        this.deliveries = Deliveries.on(time, "leasehold-memory");
        this.table = new LeaseTable(options, StripeLocks.COUNT, 0, deliveries);
        this.wakeUps =
                new WakeUps(time, StoreThread.on(time, "leasehold-memory-alarms"), this::wakeUp);
    }

    /** An empty store on the machine's time. */
    public static MemoryLeaseStore create() {
        return create(TableOptions.defaults(), Time.system());
    }

    /** An empty store with bounds and a time of the caller's choice. */
    public static MemoryLeaseStore create(TableOptions options, Time time) {
        return create(options, time, new SecureRandom());
    }

    /** An empty store that draws its id from the given randomness. */
    public static MemoryLeaseStore create(TableOptions options, Time time, RandomGenerator random) {
        return new MemoryLeaseStore(options, time, StoreId.random(random));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return pursue(request, Round.NONE);
    }

    /** For a node of a quorum: the same, in a round. */
    CompletionStage<Polled<Acquisition>> acquire(LeaseRequest request, Round round) {
        PendingAcquire pending = pursue(request, round);
        return pending.thenApply(pending::polled);
    }

    private PendingAcquire pursue(LeaseRequest request, Round round) {
        int stripe = table.stripeOf(request.claim());
        PendingAcquire pending = new PendingAcquire();
        try {
            acquire(request, round, stripe, pending);
        } catch (LimitExceededException e) {
            // room may be taken by leases that ran out in stripes where nobody looked since
            sweepAndAcquire(request, round, stripe, pending);
        } catch (LeaseholdException e) {
            pending.completeExceptionally(e);
        } finally { // also after an error: others have been granted something
            deliveries.flush();
        }
        return pending;
    }

    private void acquire(LeaseRequest request, Round round, int stripe, PendingAcquire pending) {
        int locked = locks.lock(stripe, table);
        try {
            long now = now();
            try {
                table.acquire(request, round, now, pending);
                pending.handOut(deliveries);
            } finally {
                wakeUps.set(locked, table.wakeAt(locked), now);
            }
        } finally {
            locks.unlock(locked);
        }
    }

    private void sweepAndAcquire(
            LeaseRequest request, Round round, int stripe, PendingAcquire pending) {
        try {
            wakeUp(LeaseTable.ALL);
            acquire(request, round, stripe, pending);
        } catch (LeaseholdException e) {
            pending.completeExceptionally(e);
        }
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return decide(table.stripeOf(request.claim()), now -> table.withdraw(request, now));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return decide(
                table.stripeOf(request.claim()), now -> table.withdrawUnlessUsed(request, now));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return decide(stripeOf(request.grant()), now -> table.renew(request, now));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return decide(stripeOf(grant), now -> table.rotate(grant, now));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return decide(stripeOf(grant), now -> table.release(grant, now));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return decide(stripeOf(scope), now -> table.forceRelease(scope, token, now));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return decide(stripeOf(grant), now -> table.complete(grant, record, keepFor, now));
    }

    /** For a node of a quorum: rotates in a round. */
    CompletionStage<Polled<Rotation>> rotate(Grant grant, Round round) {
        return decide(
                stripeOf(grant),
                now -> new Polled<>(table.rotate(grant, round, now), table.tokenState(grant)));
    }

    /** For a node of a quorum: gives a lease the token that was agreed on. */
    CompletionStage<Raising> raise(Grant grant, FencingToken to, Round round) {
        return decide(stripeOf(grant), now -> table.raise(grant, to, round, now));
    }

    /** For a node of a quorum: enters a lease that others have, under its token. */
    CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token) {
        return decide(table.stripeOf(request.claim()), now -> table.restore(request, token, now));
    }

    /** For a node of a quorum: takes a request back without a trace. */
    CompletionStage<Ending> retract(LeaseRequest request, Round round) {
        return decide(table.stripeOf(request.claim()), now -> table.retract(request, round, now));
    }

    /** For a node of a quorum: a part of the records. */
    CompletionStage<NodeRecord.Page> records(String cursor) {
        return decide(LeaseTable.ALL, now -> table.records(cursor, now));
    }

    /** For a node of a quorum: the record at a scope. */
    CompletionStage<Optional<NodeRecord>> record(Scope scope) {
        return decide(stripeOf(scope), now -> table.record(scope, now));
    }

    /** For a node of a quorum: takes over a record, unless there is a newer one. */
    CompletionStage<Void> keep(NodeRecord record) {
        return this.<Optional<Void>>decide(stripeOf(record.scope()), now -> {
                    table.keep(record, now);
                    return Optional.empty();
                })
                .thenAccept(done -> {});
    }

    /** For a node of a quorum: sees to it that all tokens from now on are above this one. */
    void skipTo(long token) {
        table.skipTo(token);
    }

    /** For a node of a quorum: draws only tokens that no other node draws. */
    void drawEvery(long divisor, long rest) {
        table.drawEvery(divisor, rest);
    }

    long lastToken() {
        return table.lastToken();
    }

    /** How long there has been this store. */
    Duration age() {
        return Duration.ofNanos(time.nanos() - origin);
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return decide(table.stripeOf(query), now -> table.list(query, now));
    }

    @Override
    public CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        return decide(
                table.stripeOf(LeaseQuery.overlapping(scope)),
                now -> table.check(scope, token, now));
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return deliveries.subscribe(listener);
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
    }

    @Override
    public CompletionStage<StoreId> storeId() {
        return CompletableFuture.completedFuture(id);
    }

    @Override
    public void close() {
        int locked = locks.lock(LeaseTable.ALL, table);
        try {
            closed = true;
            table.failWaiters(closedException());
            wakeUps.cancelAll();
        } finally {
            locks.unlock(locked);
        }
        deliveries.flush();
    }

    /** Makes one decision of the table under the locks it needs, then delivers what it set off. */
    private <T> CompletionStage<T> decide(int stripe, LongFunction<T> decision) {
        try {
            return CompletableFuture.completedFuture(decideLocked(stripe, decision));
        } catch (LeaseholdException e) {
            return CompletableFuture.failedFuture(e);
        } finally {
            deliveries.flush();
        }
    }

    private <T> T decideLocked(int stripe, LongFunction<T> decision) {
        int locked = locks.lock(stripe, table);
        try {
            long now = now();
            try {
                return decision.apply(now);
            } finally {
                wakeUps.set(locked, table.wakeAt(locked), now);
            }
        } finally {
            locks.unlock(locked);
        }
    }

    private void wakeUp(int stripe) {
        int locked = locks.lock(stripe, table);
        try {
            if (!closed) {
                long now = now();
                wakeUps.fired(stripe);
                try {
                    table.advance(locked, now);
                } finally {
                    wakeUps.set(locked, table.wakeAt(locked), now);
                }
            }
        } finally {
            locks.unlock(locked);
            deliveries.flush(); // also after an error: others have been granted something
        }
    }

    /** Store time, read under a lock so that it does not run backwards there. */
    private long now() {
        if (closed) {
            throw closedException();
        }
        return time.nanos() - origin;
    }

    private int stripeOf(Scope scope) {
        return table.stripeOf(Claim.exclusive(scope));
    }

    private int stripeOf(Grant grant) {
        return table.stripeOf(grant.holding().claim());
    }

    private static StoreUnavailableException closedException() {
        return new StoreUnavailableException("the memory store is closed");
    }
}
