// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

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
import io.leasehold.spi.Polled;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** One client's way to one node, over a network that loses, delays, repeats and reorders. */
final class Wire implements QuorumNode {

    private static final long USUAL_NANOS = 3_000_000;

    private final Cluster cluster;
    private final SimulatedNode target;
    private boolean cut;
    private Duration extraDelay = Duration.ZERO;
    private boolean losingPings;

    Wire(Cluster cluster, SimulatedNode target) {
        this.cluster = cluster;
        this.target = target;
    }

    /** The client is gone, and what is under way with it. */
    void cut() {
        cut = true;
    }

    /** Requests that are sent from now on take so much longer. */
    void slow(Duration extra) {
        extraDelay = extra;
    }

    /** Questions for the standing are lost from now on, or arrive again. */
    void losePings(boolean lost) {
        losingPings = lost;
    }

    private <T> CompletionStage<T> send(Function<QuorumNode, CompletionStage<T>> operation) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        if (!cluster.happens(cluster.weather().loss())) {
            cluster.after(delay().plus(extraDelay), () -> arrive(operation, reply));
            if (cluster.happens(cluster.weather().duplication())) {
                cluster.after(delay(), () -> arrive(operation, reply));
            }
        }
        return reply;
    }

    private <T> void arrive(
            Function<QuorumNode, CompletionStage<T>> operation, CompletableFuture<T> reply) {
        if (target.isDown()) {
            if (cluster.happens(0.5)) {
                cluster.after(
                        delay(),
                        () -> reply.completeExceptionally(
                                new StoreUnavailableException("connection refused")));
            }
            return;
        }
        int crashes = target.crashes();
        CompletionStage<T> unused = operation
                .apply(target.node())
                .whenComplete((answer, failure) -> {
                    if (crashes == target.crashes()
                            && !cluster.happens(cluster.weather().loss())) {
                        cluster.after(delay(), () -> deliver(reply, answer, failure));
                    }
                });
    }

    private <T> void deliver(CompletableFuture<T> reply, T answer, Throwable failure) {
        if (cut) {
            return;
        }
        if (failure == null) {
            reply.complete(answer);
        } else {
            reply.completeExceptionally(Members.cause(failure));
        }
    }

    private Duration delay() {
        long most = cluster.happens(cluster.weather().longDelay())
                ? cluster.weather().late().toNanos()
                : USUAL_NANOS;
        return Duration.ofNanos(100_000 + cluster.random().nextLong(most));
    }

    @Override
    public CompletionStage<NodeStanding> standing() {
        return losingPings ? new CompletableFuture<>() : send(QuorumNode::standing);
    }

    @Override
    public CompletionStage<NodeStanding> admit(NodeAdmission admission) {
        return send(node -> node.admit(admission));
    }

    @Override
    public CompletionStage<Raising> raise(Grant grant, FencingToken to, Round round) {
        return send(node -> node.raise(grant, to, round));
    }

    @Override
    public CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token) {
        return send(node -> node.restore(request, token));
    }

    @Override
    public CompletionStage<Ending> retract(LeaseRequest request, Round round) {
        return send(node -> node.retract(request, round));
    }

    @Override
    public CompletionStage<Polled<Acquisition>> acquire(LeaseRequest request, Round round) {
        return send(node -> node.acquire(request, round));
    }

    @Override
    public CompletionStage<Polled<Rotation>> rotate(Grant grant, Round round) {
        return send(node -> node.rotate(grant, round));
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return send(node -> node.acquire(request));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return send(node -> node.withdraw(request));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return send(node -> node.withdrawUnlessUsed(request));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return send(node -> node.renew(request));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return send(node -> node.renewAll(requests));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return send(node -> node.rotate(grant));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return send(node -> node.release(grant));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return send(node -> node.forceRelease(scope, token));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return send(node -> node.complete(grant, record, keepFor));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return send(node -> node.list(query));
    }

    @Override
    public CompletionStage<NodeRecord.Page> records(String cursor) {
        return send(node -> node.records(cursor));
    }

    @Override
    public CompletionStage<Optional<NodeRecord>> record(Scope scope) {
        return send(node -> node.record(scope));
    }

    @Override
    public CompletionStage<NodeStanding> keep(List<NodeRecord> records) {
        return send(node -> node.keep(records));
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return () -> {};
    }

    @Override
    public Guarantees guarantees() {
        return target.node().guarantees();
    }

    @Override
    public void close() {}
}
