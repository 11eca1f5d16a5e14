// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The way in: locks on a store, with one renewer for all that is held. One per process and store is
 * enough. Thread-safe.
 *
 * <pre>{@code
 * try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
 *     FencedLock lock = leasehold.lock("ledger/42");
 *     try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
 *         guard.write(lease.token(), ledger -> ledger.add(entry));
 *     }
 * }
 * }</pre>
 */
public final class Leasehold implements AutoCloseable {

    private final Client client;
    private final OwnThreads ownThreads = new OwnThreads(); // they start when they are needed
    private final Set<Acquirer> acquiring = ConcurrentHashMap.newKeySet();

    /** How to close the candidates and observations that there are. */
    final Map<Object, Runnable> background = new ConcurrentHashMap<>();

    final RunningBodies bodies = new RunningBodies();

    private final AtomicReference<@Nullable Closing> closing = new AtomicReference<>();

    private Leasehold(LeaseStore store, LeaseholdOptions options) {
        Environment environment = options.environment().orElseGet(ownThreads::environment);
        Executor callbacks = environment.callbacks();
        UserExecutors executors = new UserExecutors(
                callbacks,
                options.environment().isPresent() ? callbacks : ownThreads.losses(),
                options.workers().orElseGet(ownThreads::workers),
                environment.time());
        Executor listening = options.environment().isPresent() ? callbacks : ownThreads.listener();
        this.client = new Client(
                store,
                options,
                environment,
                executors,
                new ListenerCalls(options.listener(), listening));
    }

    /** On the given store, which is closed with it. */
    public static Leasehold on(LeaseStore store) {
        return on(store, LeaseholdOptions.defaults());
    }

    /** On the given store. */
    public static Leasehold on(LeaseStore store, LeaseholdOptions options) {
        return new Leasehold(store, options);
    }

    /** The lock with a name, exclusive, held by leases of 30 s. */
    public FencedLock lock(String name) {
        return lock(LockOptions.defaults(), Scope.name(name));
    }

    /** The lock on one or more scopes, which it holds all or none of. */
    public FencedLock lock(Scope... scopes) {
        return lock(LockOptions.defaults(), scopes);
    }

    /** The lock on one or more scopes, held as the options say. */
    public FencedLock lock(LockOptions options, Scope... scopes) {
        return new FencedLock(this, new Claim(List.of(scopes), options.mode()), options);
    }

    /** A candidate for the office of the given name: campaigns from now on until closed. */
    public Election election(String name, Election.Body body) {
        return election(name, ElectionOptions.defaults(), body);
    }

    /** A candidate for the office of the given name, as the options say. */
    public Election election(String name, ElectionOptions options, Election.Body body) {
        Election candidate = Election.campaign(this, name, options, body);
        closeAtEnd(candidate, candidate::close);
        return candidate;
    }

    /** The election of the given name for somebody who only looks on. */
    public Election election(String name) {
        if (isClosed()) {
            throw closed();
        }
        return Election.watch(this, name);
    }

    /**
     * Sees to it that a candidate or an observation ends with this.
     *
     * @throws StoreUnavailableException if this is closed; so is the candidate or observation then
     */
    void closeAtEnd(Object part, Runnable close) {
        background.put(part, close); // first: close() may be looking
        if (isClosed()) {
            close.run();
            throw closed();
        }
    }

    void forget(Object part) {
        background.remove(part);
    }

    /**
     * Work that only one caller does at a time, under names {@code family/key}.
     *
     * @param family names the kind of work
     */
    public <T> SingleFlight<T> singleFlight(String family, Codec<T> codec) {
        return singleFlight(family, codec, SingleFlightOptions.defaults());
    }

    /** Work that only one caller does at a time, as the options say. */
    public <T> SingleFlight<T> singleFlight(
            String family, Codec<T> codec, SingleFlightOptions options) {
        return new SingleFlight<>(this, family, codec, options);
    }

    /**
     * Calls whose outcomes are kept for the given time under names {@code family/key}.
     *
     * @param family names the kind of call
     */
    public <T> Idempotency<T> idempotency(String family, Codec<T> codec, Duration keepFor) {
        return idempotency(family, codec, IdempotencyOptions.keeping(keepFor));
    }

    /** Calls whose outcomes are kept as the options say. */
    public <T> Idempotency<T> idempotency(
            String family, Codec<T> codec, IdempotencyOptions options) {
        return new Idempotency<>(this, family, codec, options);
    }

    /** What the store promises. */
    public Guarantees guarantees() {
        return client.store.guarantees();
    }

    /**
     * Hands over what is held, in order, and stops. Idempotent, never throws.
     *
     * <ol>
     *   <li>Nothing more is granted; what is being acquired is withdrawn, candidates campaign no
     *       more. Leases that were acquired without a body are released at once: they are no longer
     *       valid, and their {@code onLost} stays silent.
     *   <li>RunningBodies of {@code use} and {@code with} and the bodies of elections are told to end, as
     *       of a loss: their leases and terms are no longer valid, {@code onLost} is called, their
     *       threads are interrupted where the options say so. The work of single flights and of
     *       idempotent calls is left to finish, and its result is stored.
     *   <li>It waits for them for as long as {@linkplain LeaseholdOptions#closeGrace the options}
     *       say, 10 s by default, and then a little for the store's word on all that was released,
     *       also when the thread is interrupted.
     *   <li>What still runs keeps its lease, which is renewed, until it has returned or the lease is
     *       lost: nobody else works beside it. That is logged, and this method returns; the store is
     *       closed and the threads end when the last of them has returned.
     * </ol>
     *
     * A body may call this: it is not waited for, and its lease is released when it returns.
     */
    @Override
    public void close() {
        Closing mine = new Closing(client);
        Closing first = closing.compareAndExchange(null, mine);
        if (first != null) {
            first.awaitFirst();
            return;
        }
        background.values().forEach(Runnable::run);
        acquiring.forEach(acquirer -> acquirer.withdraw(closed())); // what it got is handed over
        mine.run(client.renewer.close(), this::closeStore);
    }

    private void closeStore() {
        try {
            client.leaveStore();
        } finally {
            ownThreads.close();
        }
    }

    private boolean isClosed() {
        return closing.get() != null;
    }

    /** Starts to acquire; on a closed one it fails at once, without a word to the store. */
    Acquirer startAcquire(Bid bid) {
        Acquirer acquirer = newAcquirer(bid);
        AcquireReport.inBackground(client, bid, acquirer);
        acquirer.start();
        return acquirer;
    }

    /** The same, by a thread that is going to wait for the result and tells the listener of it. */
    Acquirer startAcquireWaiting(Bid bid) {
        Acquirer acquirer = newAcquirer(bid);
        acquirer.startWaiting();
        return acquirer;
    }

    private Acquirer newAcquirer(Bid bid) {
        Acquirer acquirer = Acquirer.of(client, bid);
        acquiring.add(acquirer);
        acquirer.result().whenComplete((came, error) -> acquiring.remove(acquirer));
        if (isClosed()) {
            acquirer.withdraw(closed()); // close() may have looked before it was in the set
        }
        return acquirer;
    }

    Client client() {
        return client;
    }

    static StoreUnavailableException closed() {
        return new StoreUnavailableException("this Leasehold is closed");
    }
}
