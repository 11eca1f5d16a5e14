// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Limits;
import io.leasehold.spi.StoreChangeListeners;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The store id of a quorum: a record that a majority of the nodes keeps, at a scope that is reserved
 * for it.
 *
 * <p><b>Why this is safe.</b> Whoever finds no record takes the lease on the scope and completes it
 * with an id that it has drawn. The rules of leases see to it that one id is agreed on, and those of
 * records that it is there as long as no more than a minority of the nodes has forgotten: a node that
 * forgot is given the records before it takes part again. When a majority has forgotten, so that leases
 * may be lost, the record is lost too, and another id is drawn.
 *
 * <p>The id is looked up once a minute at most, while somebody asks for it. A record that is half as
 * old as it may get is kept anew. Thread-safe.
 */
final class QuorumIdentity {

    private static final System.Logger LOG = System.getLogger(QuorumLeaseStore.class.getName());

    static final Scope SCOPE = Scope.name("leasehold/store-id");

    private static final Claim CLAIM = Claim.exclusive(SCOPE);
    private static final Holder HOLDER = new Holder("leasehold");
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final long LOOK_AGAIN = Duration.ofMinutes(1).toNanos();
    private static final Duration HALF_KEPT = Limits.MAX_KEEP_FOR.dividedBy(2);

    /** Acquires and completes leases on any scope, also on the reserved one. */
    interface Operations {
        CompletionStage<Acquisition> acquire(LeaseRequest request);

        CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor);
    }

    private final Operations store;
    private final Time time;
    private final Duration ttl;
    private final LongSupplier random;
    private final AtomicReference<@Nullable Lookup> latest = new AtomicReference<>();
    private final StoreChangeListeners listeners = new StoreChangeListeners();
    // guards the id that was found last; listeners are told under it
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable StoreId last;

    /** One look, when it began, and what was known before. */
    private record Lookup(
            CompletableFuture<StoreId> found,
            long at,
            @Nullable CompletableFuture<StoreId> before) {

        /** What is known now: what was known before until this look has found something. */
        CompletableFuture<StoreId> id() {
            return before == null || (found.isDone() && !found.isCompletedExceptionally())
                    ? found
                    : before;
        }

        boolean isGood() {
            return before != null || !found.isCompletedExceptionally();
        }

        /** Whether there is no need to look again yet. */
        boolean isRecent(long now) {
            return now - at < LOOK_AGAIN && (isGood() || isDamaged(found));
        }
    }

    QuorumIdentity(Operations store, Time time, Duration longestTtl, LongSupplier random) {
        this.store = store;
        this.time = time;
        this.ttl = longestTtl.compareTo(TTL) < 0 ? longestTtl : TTL;
        this.random = random;
    }

    /** Leaves out what this keeps among the leases. */
    static List<LeaseView> without(List<LeaseView> views) {
        return views.stream()
                .filter(view -> !view.holding().claim().equals(CLAIM))
                .toList();
    }

    /**
     * Why the store refuses these scopes to everybody else; empty if none of them is the reserved one.
     * Whoever could complete a lease there could give the store another id.
     */
    static Optional<RequestRefusedException> refusal(List<Scope> scopes) {
        return scopes.stream().anyMatch(SCOPE::overlaps)
                ? Optional.of(
                        new RequestRefusedException(
                                RequestRefusedException.Why.INVALID,
                                SCOPE
                                        + " is reserved: the quorum keeps its store id there; use another name"))
                : Optional.empty();
    }

    /** As {@link LeaseStore#onStoreChange} says. */
    LeaseEvents.Subscription subscribe(Consumer<StoreId> listener) {
        return listeners.add(listener);
    }

    /** The id as it was found last; looks again if that was a while ago. */
    CompletionStage<StoreId> id() {
        Lookup known = latest.get();
        long now = time.nanos();
        if (known != null && known.isRecent(now)) {
            return known.id();
        }
        Lookup mine = new Lookup(
                new CompletableFuture<>(),
                now,
                known != null && known.isGood() ? known.id() : null);
        if (!latest.compareAndSet(known, mine)) {
            return id();
        }
        CompletionStage<StoreId> unused = find().whenComplete((id, failure) -> {
            if (failure == null) {
                note(id);
                mine.found.complete(id);
            } else {
                mine.found.completeExceptionally(Members.cause(failure));
            }
        });
        return mine.id();
    }

    /** Tells the listeners if the id is another one than was found last. */
    private void note(StoreId id) {
        lock.lock();
        try {
            StoreId before = last;
            last = id;
            if (before != null && !before.equals(id)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a majority of the quorum has forgotten store " + before
                                + " and all its leases; it is store " + id + " now");
                listeners.tell(id);
            }
        } finally {
            lock.unlock();
        }
    }

    private CompletionStage<StoreId> find() {
        return store.acquire(request().unlessCompleted().waitingAtMost(ttl.multipliedBy(2)))
                .thenCompose(answer -> {
                    if (answer instanceof Acquisition.Completed completed) {
                        StoreId id = parse(completed.record());
                        return completed.keptFor().compareTo(HALF_KEPT) > 0
                                ? CompletableFuture.completedStage(id)
                                : keepAnew(id);
                    }
                    return answer instanceof Acquisition.Granted granted
                            ? keep(granted, new StoreId(random.getAsLong(), random.getAsLong()))
                            : CompletableFuture.failedStage(undecided());
                });
    }

    private static StoreId parse(LeaseRecord record) {
        try {
            return StoreId.parse(record.text());
        } catch (IllegalArgumentException e) {
            StoreUnavailableException damaged = new StoreUnavailableException(
                    "the record at " + SCOPE
                            + " is damaged, so the quorum can't tell its store id: "
                            + e.getMessage()
                            + "; docs/engines/quorum.md says how to repair it",
                    e);
            LOG.log(System.Logger.Level.WARNING, damaged.getMessage());
            throw damaged;
        }
    }

    /** Whether a look found a damaged record: the next one will as well, so it is no more urgent. */
    private static boolean isDamaged(CompletableFuture<StoreId> found) {
        return found.handle((id, failure) ->
                        failure != null && failure.getCause() instanceof IllegalArgumentException)
                .join();
    }

    /** If somebody else is at it, the record is there all the same. */
    private CompletionStage<StoreId> keepAnew(StoreId id) {
        return store.acquire(request())
                .thenCompose(answer -> answer instanceof Acquisition.Granted granted
                        ? keep(granted, id)
                        : CompletableFuture.completedStage(id));
    }

    private CompletionStage<StoreId> keep(Acquisition.Granted granted, StoreId id) {
        return store.complete(granted.grant(), LeaseRecord.of(id.toString()), Limits.MAX_KEEP_FOR)
                .thenCompose(ending -> ending instanceof Ending.Ended
                        ? CompletableFuture.completedStage(id)
                        : CompletableFuture.failedStage(undecided()));
    }

    private LeaseRequest request() {
        LeaseId id = new LeaseId(random.getAsLong(), random.getAsLong());
        return LeaseRequest.of(id, CLAIM, HOLDER, ttl);
    }

    private static StoreUnavailableException undecided() {
        return new StoreUnavailableException("the quorum has not agreed on its store id yet");
    }
}
