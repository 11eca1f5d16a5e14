// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import io.lettuce.core.RedisURI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

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
 * <p>Thread-safe.
 */
public final class RedisQuorumNode implements QuorumNode {

    private final RedisLeaseStore store;
    private final SecureRandom random;

    private RedisQuorumNode(RedisLeaseStore store, SecureRandom random) {
        this.store = store;
        this.random = random;
    }

    /**
     * Connects to the namespace {@code default} of the Redis at the URI.
     *
     * @throws io.leasehold.model.StoreUnavailableException if there is no connection, saying why
     */
    public static RedisQuorumNode connect(String uri) {
        return connect(RedisOptions.at(uri));
    }

    /**
     * Connects. All nodes of a quorum have the same namespace, unless they are on one server.
     *
     * @throws io.leasehold.model.StoreUnavailableException if there is no connection, saying why
     */
    public static RedisQuorumNode connect(RedisOptions options) {
        RedisAddress address = RedisAddress.of(options.uri());
        RedisURI uri = address.uris().get(0);
        if (address.cluster() || !DirectLine.isPossible(uri)) {
            throw new IllegalArgumentException(
                    "a node of a quorum is a single server without TLS: redis://host:port");
        } else if (options.replicas() > 0) {
            throw new IllegalArgumentException("a node of a quorum does not wait for replicas");
        }
        Time time = Time.system();
        SecureRandom random = new SecureRandom();
        RedisLeaseStore store = new RedisLeaseStore(
                options,
                time,
                listener -> DirectLink.bound(
                        LettuceLink.connect(address, options.patience(), listener),
                        uri,
                        options.patience(),
                        time),
                Requests.standing(random.nextLong()));
        return new RedisQuorumNode(store, random);
    }

    @Override
    public CompletionStage<NodeStanding> standing() {
        return store.operations().standing(random.nextLong());
    }

    @Override
    public CompletionStage<NodeStanding> admit(NodeAdmission admission) {
        return store.operations().admit(admission);
    }

    @Override
    public CompletionStage<Raising> raise(Grant grant, FencingToken to) {
        return store.operations().raise(grant, to);
    }

    @Override
    public CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token) {
        return store.operations().restore(request, token);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request, long round) {
        return store.operations().acquire(request, round);
    }

    @Override
    public CompletionStage<Ending> retract(LeaseRequest request, long round) {
        return store.operations().retract(request, round);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return store.acquire(request);
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return store.withdraw(request);
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return store.renew(request);
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        return store.renewAll(requests);
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
    public void close() {
        store.close();
    }
}
