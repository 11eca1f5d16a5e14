// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
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
import io.leasehold.spi.Time;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A Redis or Valkey as one of the independent nodes of a quorum; see {@code QuorumLeaseStore}.
 *
 * <h2>When it has forgotten</h2>
 *
 * A server that comes back may have lost what it acknowledged last, and can't tell. So the node's
 * admission is bound to the server's run: each connection first learns the run's id, which it can't
 * outlive, each call brings it, and the script compares it with the one of the admission. A node that
 * was restarted, with or without its data, flushed, or restored from a copy, answers nothing until
 * the quorum has admitted it again.
 *
 * <p>It is a single server without TLS: behind a sentinel or in a cluster the server that answers may
 * be another one than the one that acknowledged.
 *
 * <p>A node that can't be reached is none of the caller's concern: its operations fail as
 * unavailable, and each of them has it looked for, at most every half a second.
 *
 * <p>Thread-safe.
 */
public final class RedisQuorumNode implements QuorumNode {

    /** Other nodes are busy meanwhile, and larger batches cost less. */
    private static final int CALLS_UNDER_WAY = 1;

    private static final Duration LOOK_AT_MOST_EVERY = Duration.ofMillis(500);

    private final RedisOptions options;
    private final RedisAddress address;
    private final SecureRandom random = new SecureRandom();
    private final Time time = Time.system();
    private final ThrottledTask connecting;
    private volatile @Nullable RedisLeaseStore connected;
    private volatile String whyNot = "it has not been looked for";
    private volatile boolean closed;

    private RedisQuorumNode(RedisOptions options, RedisAddress address, ThreadFactory threads) {
        this.options = options;
        this.address = address;
        this.connecting = new ThrottledTask(threads, time, LOOK_AT_MOST_EVERY, this::connect);
    }

    /** The namespace {@code default} of the Redis at the URI, which need not be there yet. */
    public static RedisQuorumNode at(String uri) {
        return at(RedisOptions.at(uri));
    }

    /**
     * The Redis at the URI of the options, which need not be there yet. All nodes of a quorum have
     * the same namespace, unless they are on one server.
     */
    public static RedisQuorumNode at(RedisOptions options) {
        return at(options, ThrottledTask.daemons("leasehold-redis-node"));
    }

    static RedisQuorumNode at(RedisOptions options, ThreadFactory threads) {
        RedisAddress address = RedisAddress.of(options.uri());
        if (address.cluster() || !DirectLine.isPossible(address.uris().get(0))) {
            throw new IllegalArgumentException(
                    "a node of a quorum is a single server without TLS: redis://host:port");
        } else if (options.replicas() > 0) {
            throw new IllegalArgumentException("a node of a quorum does not wait for replicas");
        }
        RedisQuorumNode node = new RedisQuorumNode(options, address, threads);
        node.connecting.runHere();
        return node;
    }

    // ---- the connection

    private void connect() {
        try {
            connected = new RedisLeaseStore(
                    options,
                    time,
                    listener -> DirectLink.bound(
                            LettuceLink.connect(address, options.patience(), listener),
                            address.uris().get(0),
                            options.patience(),
                            time),
                    Requests.standing(random.nextLong()),
                    CALLS_UNDER_WAY);
            if (closed) {
                close();
            }
        } catch (LeaseholdException e) {
            whyNot = String.valueOf(e.getMessage());
        }
    }

    private RedisLeaseStore store() {
        RedisLeaseStore store = connected;
        if (store != null) {
            return store;
        }
        if (!closed) {
            connecting.start();
        }
        throw new StoreUnavailableException(whyNot);
    }

    private <T> CompletionStage<T> ask(Function<Operations, CompletionStage<T>> question) {
        return askStore(store -> question.apply(store.operations()));
    }

    private <T> CompletionStage<T> askStore(
            Function<RedisLeaseStore, CompletionStage<T>> question) {
        try {
            return question.apply(store());
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    // ---- a node's operations

    @Override
    public CompletionStage<NodeStanding> standing() {
        return ask(operations -> operations.standing(random.nextLong()));
    }

    @Override
    public CompletionStage<NodeStanding> admit(NodeAdmission admission) {
        return ask(operations -> operations.admit(admission));
    }

    @Override
    public CompletionStage<Raising> raise(Grant grant, FencingToken to, Round round) {
        return ask(operations -> operations.raise(grant, to, round));
    }

    @Override
    public CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token) {
        return ask(operations -> operations.restore(request, token));
    }

    @Override
    public CompletionStage<Polled<Acquisition>> acquire(LeaseRequest request, Round round) {
        return ask(operations -> operations.acquire(request, round));
    }

    @Override
    public CompletionStage<Polled<Rotation>> rotate(Grant grant, Round round) {
        return ask(operations -> operations.rotate(grant, round));
    }

    @Override
    public CompletionStage<Ending> retract(LeaseRequest request, Round round) {
        return ask(operations -> operations.retract(request, round));
    }

    @Override
    public CompletionStage<NodeRecord.Page> records(String cursor) {
        return ask(operations -> operations.records(cursor));
    }

    @Override
    public CompletionStage<Optional<NodeRecord>> record(Scope scope) {
        return ask(operations -> operations.record(scope));
    }

    @Override
    public CompletionStage<NodeStanding> keep(List<NodeRecord> records) {
        return ask(operations -> operations.keep(records));
    }

    // ---- a store's

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return acquire(request, Round.NONE).thenApply(Polled::answer);
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return ask(operations -> operations.withdraw(request));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return ask(operations -> operations.withdrawUnlessUsed(request));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return ask(operations -> operations.renew(request));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return ask(operations -> operations.renewAll(requests));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return rotate(grant, Round.NONE).thenApply(Polled::answer);
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return ask(operations -> operations.release(grant));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return ask(operations -> operations.forceRelease(scope, token));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return ask(operations -> operations.complete(grant, record, keepFor));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return askStore(store -> store.list(query));
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return store().subscribe(listener);
    }

    @Override
    public Guarantees guarantees() {
        RedisLeaseStore store = connected;
        return store == null
                ? new Guarantees(
                        "redis", false, false, Guarantees.Clock.WALL, true, List.of(whyNot))
                : store.guarantees();
    }

    @Override
    public void close() {
        closed = true;
        RedisLeaseStore store = connected;
        if (store != null) {
            store.close();
        }
    }
}
