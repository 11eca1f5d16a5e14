// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Environment;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** A store on virtual time and the clients that contend for its leases. Used by one thread. */
final class Cluster implements AutoCloseable {

    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration INSTANT = Duration.ofNanos(1);

    final VirtualTime time = VirtualTime.create();
    final MemoryLeaseStore store;
    private final SplittableRandom random = new SplittableRandom(10);

    Cluster() {
        this(TableOptions.defaults());
    }

    Cluster(TableOptions options) {
        this.store = MemoryLeaseStore.create(options, time);
    }

    // ---- on the store

    LeaseRequest request(String holder, Claim claim, Duration ttl) {
        LeaseId id = new LeaseId(random.nextLong(), random.nextLong());
        return LeaseRequest.of(id, claim, new Holder(holder), ttl);
    }

    LeaseRequest request(String holder, String name) {
        return request(holder, Claim.exclusive(Scope.name(name)), TTL);
    }

    Acquisition tries(LeaseRequest request) {
        return answer(store.acquire(request));
    }

    Acquisition tries(String holder, Scope scope) {
        return tries(request(holder, Claim.exclusive(scope), TTL));
    }

    Grant holds(LeaseRequest request) {
        Acquisition answer = tries(request);
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        return ((Acquisition.Granted) answer).grant();
    }

    Grant holds(String holder, String name) {
        return holds(request(holder, name));
    }

    Renewal renews(Grant grant) {
        return answer(store.renew(RenewalRequest.of(grant, TTL)));
    }

    Ending releases(Grant grant) {
        return answer(store.release(grant));
    }

    List<LeaseView> leases() {
        return answer(store.list(LeaseQuery.all())).leases();
    }

    /** What the store, or a way to it, has answered by now. */
    static <T> T answer(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }

    static FencingToken token(long value) {
        return new FencingToken(value);
    }

    // ---- through the API

    /** A process that reaches the store directly and whose clock agrees with it. */
    Leasehold client(String holder) {
        return client(holder, store, time);
    }

    /** A process that reaches the store by the given way and lives by the given clock. */
    Leasehold client(String holder, LeaseStore way, Time clock) {
        return Leasehold.on(
                way,
                LeaseholdOptions.defaults()
                        .withHolder(holder)
                        .withStoreLeftOpen()
                        .withEnvironment(new Environment(clock, Runnable::run, random.split())));
    }

    @Override
    public void close() {
        store.close();
    }
}
