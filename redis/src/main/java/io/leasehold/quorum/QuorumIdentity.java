// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The store id of a quorum: a record that a majority of the nodes keeps, at a scope of its own.
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

    static final Scope SCOPE = Scope.name("leasehold/store-id");

    private static final Claim CLAIM = Claim.exclusive(SCOPE);
    private static final Holder HOLDER = new Holder("leasehold");
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final long LOOK_AGAIN = Duration.ofMinutes(1).toNanos();
    private static final Duration HALF_KEPT = Limits.MAX_KEEP_FOR.dividedBy(2);

    private final LeaseStore store;
    private final Time time;
    private final Duration ttl;
    private final LongSupplier random;
    private final AtomicReference<@Nullable Lookup> latest = new AtomicReference<>();

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
    }

    QuorumIdentity(LeaseStore store, Time time, Duration longestTtl, LongSupplier random) {
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

    /** The id as it was found last; looks again if that was a while ago. */
    CompletionStage<StoreId> id() {
        Lookup known = latest.get();
        Lookup good = known != null && known.isGood() ? known : null;
        if (good != null && time.nanos() - good.at < LOOK_AGAIN) {
            return good.id();
        }
        Lookup mine = new Lookup(
                new CompletableFuture<>(), time.nanos(), good == null ? null : good.id());
        if (!latest.compareAndSet(known, mine)) {
            return id();
        }
        CompletionStage<StoreId> unused = find().whenComplete((id, failure) -> {
            if (failure == null) {
                mine.found.complete(id);
            } else {
                mine.found.completeExceptionally(Members.cause(failure));
            }
        });
        return mine.id();
    }

    private CompletionStage<StoreId> find() {
        return store.acquire(request().unlessCompleted().waitingAtMost(ttl.multipliedBy(2)))
                .thenCompose(answer -> {
                    if (answer instanceof Acquisition.Completed completed) {
                        StoreId id = StoreId.parse(completed.record().text());
                        return completed.keptFor().compareTo(HALF_KEPT) > 0
                                ? CompletableFuture.completedStage(id)
                                : keepAnew(id);
                    }
                    return answer instanceof Acquisition.Granted granted
                            ? keep(granted, new StoreId(random.getAsLong(), random.getAsLong()))
                            : CompletableFuture.failedStage(undecided());
                });
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
