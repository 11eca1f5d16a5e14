// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.NodeStanding.Membership;
import io.leasehold.spi.Polled;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node of a quorum in the memory of this process: for tests and for trying things out. It forgets
 * with the process, so every new one is a node that forgot. Thread-safe.
 */
public final class MemoryQuorumNode implements QuorumNode {

    private final MemoryLeaseStore store;
    private final long generation;
    private final AtomicReference<@Nullable Membership> membership = new AtomicReference<>();

    private MemoryQuorumNode(MemoryLeaseStore store, long generation) {
        this.store = store;
        this.generation = generation;
    }

    /** An empty node on the machine's time. */
    public static MemoryQuorumNode create() {
        return create(TableOptions.defaults(), Time.system(), new SecureRandom().nextLong());
    }

    /** An empty node with bounds, a time and a generation of the caller's choice. */
    public static MemoryQuorumNode create(TableOptions options, Time time, long generation) {
        return new MemoryQuorumNode(MemoryLeaseStore.create(options, time), generation);
    }

    @Override
    public CompletionStage<NodeStanding> standing() {
        return CompletableFuture.completedFuture(standingNow());
    }

    @Override
    public CompletionStage<NodeStanding> admit(NodeAdmission admission) {
        Membership wanted = admission.membership();
        if (admission.generation() == generation) {
            // before the first draw, which is after the admission
            if (membership.get() == null || wanted.equals(membership.get())) {
                store.skipTo(admission.floor());
                store.drawEvery(wanted.nodes(), wanted.index());
            }
            membership.compareAndSet(null, wanted);
        }
        return standing();
    }

    private NodeStanding standingNow() {
        return new NodeStanding(
                generation, store.lastToken(), store.age(), Optional.ofNullable(membership.get()));
    }

    @Override
    public CompletionStage<Raising> raise(Grant grant, FencingToken to, Round round) {
        return ifAdmitted(() -> store.raise(grant, to, round));
    }

    @Override
    public CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token) {
        return ifAdmitted(() -> store.restore(request, token));
    }

    @Override
    public CompletionStage<Ending> retract(LeaseRequest request, Round round) {
        return ifAdmitted(() -> store.retract(request, round));
    }

    @Override
    public CompletionStage<NodeRecord.Page> records(String cursor) {
        return ifAdmitted(() -> store.records(cursor));
    }

    @Override
    public CompletionStage<Optional<NodeRecord>> record(Scope scope) {
        return ifAdmitted(() -> store.record(scope));
    }

    @Override
    public CompletionStage<NodeStanding> keep(List<NodeRecord> records) {
        CompletionStage<Void> kept = CompletableFuture.completedFuture(null);
        for (NodeRecord record : records) {
            kept = kept.thenCompose(done -> store.keep(record));
        }
        return kept.thenCompose(done -> standing());
    }

    @Override
    public CompletionStage<Polled<Acquisition>> acquire(LeaseRequest request, Round round) {
        return ifAdmitted(() -> store.acquire(request, round));
    }

    @Override
    public CompletionStage<Polled<Rotation>> rotate(Grant grant, Round round) {
        return ifAdmitted(() -> store.rotate(grant, round));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return ifAdmitted(() -> store.acquire(request));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return ifAdmitted(() -> store.withdraw(request));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return ifAdmitted(() -> store.withdrawUnlessUsed(request));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return ifAdmitted(() -> store.renew(request));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return ifAdmitted(() -> store.renewAll(requests));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return ifAdmitted(() -> store.rotate(grant));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return ifAdmitted(() -> store.release(grant));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return ifAdmitted(() -> store.forceRelease(scope, token));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return ifAdmitted(() -> store.complete(grant, record, keepFor));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return ifAdmitted(() -> store.list(query));
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
    public void close() {
        store.close();
    }

    private <T> CompletionStage<T> ifAdmitted(Supplier<CompletionStage<T>> operation) {
        return membership.get() == null
                ? CompletableFuture.failedFuture(new StoreUnavailableException(
                        "the node has not been admitted to its quorum"))
                : operation.get();
    }
}
