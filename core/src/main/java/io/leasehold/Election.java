// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.TermBegan;
import io.leasehold.listener.TermEnded;
import io.leasehold.model.Claim;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One leader at a time among all who campaign under a name. A candidate campaigns in the background
 * from the moment it is made, first come first served; when elected, its body runs, on one of the
 * {@linkplain LeaseholdOptions#workers workers}, and the term ends when it returns. Everybody may
 * ask or observe who leads. Thread-safe.
 *
 * <p>Terms of one name never overlap in the store, and their numbers increase. In one candidate a
 * term never begins before the body of the last one has returned. When the candidate or its {@link
 * Leasehold} is closed, the leader is told, and the next one is elected when its body has returned.
 * As with any lease, a leader that
 * is paused may not know yet that its term is over: what it writes must carry the term's token.
 */
public final class Election implements AutoCloseable {

    /** What a leader does. */
    @FunctionalInterface
    public interface Body {

        /**
         * Leads until it returns, which resigns. It should return soon after the term is no longer
         * valid. What it throws is logged; the term ends.
         */
        void lead(Term term) throws Exception;
    }

    private static final System.Logger LOG = System.getLogger(Election.class.getName());
    private static final long FIRST_PAUSE_NANOS = 50_000_000;
    private static final int MAX_DOUBLINGS = 6;

    private final Leasehold leasehold;
    private final Client client;
    private final Scope office;
    private final ElectionOptions options;
    private final @Nullable Body body;
    private final Executor losses;
    private final Set<Observation> observations = ConcurrentHashMap.newKeySet();

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private boolean closed;
    private int failures;
    private @Nullable Acquirer campaign;
    private @Nullable Term term;

    private Election(
            Leasehold leasehold, String name, ElectionOptions options, @Nullable Body body) {
        this.leasehold = leasehold;
        this.client = leasehold.client();
        this.office = Scope.name(name);
        this.options = options;
        this.body = body;
        this.losses = new Serial(client.executors::tellLoss);
    }

    /** A candidate, already campaigning. */
    static Election campaign(Leasehold leasehold, String name, ElectionOptions options, Body body) {
        Election election = new Election(leasehold, name, options, body);
        election.campaign();
        return election;
    }

    /** Somebody who only looks on. */
    static Election watch(Leasehold leasehold, String name) {
        return new Election(leasehold, name, ElectionOptions.defaults(), null);
    }

    /**
     * Asks the store who leads.
     *
     * @throws LeaseholdException if it can't be asked or does not answer
     */
    public Optional<Leader> leader() {
        return Observation.leader(client.await(() -> client.store.list(Observation.query(office))));
    }

    /**
     * Tells the listener who leads, now and whenever that changes, one call at a time, until
     * closed. It is told what the store has confirmed: at once where the store pushes, within the
     * rest of the leader's lease otherwise. Quick changes may be told as one.
     */
    public Observation observe(Consumer<Optional<Leader>> listener) {
        Observation observation = new Observation(client, office, listener, this::forget);
        observations.add(observation);
        leasehold.closeAtEnd(observation, observation::close);
        try {
            observation.start();
        } catch (Throwable e) { // its caller has nothing to close it by
            observation.close();
            throw e;
        }
        if (isClosed()) {
            observation.close(); // close() may have looked before it was in the set
        }
        return observation;
    }

    private void forget(Observation observation) {
        observations.remove(observation);
        leasehold.forget(observation);
    }

    /** The present term if this candidate leads. */
    public Optional<Term> term() {
        return Optional.ofNullable(present()).filter(Term::isValid);
    }

    private @Nullable Term present() {
        lock.lock();
        try {
            return term;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the present term if this candidate leads: whoever is next in line leads at once, though
     * the body may still run; its thread is interrupted if the options say so. Then campaigns again,
     * unless told otherwise, once the body has returned.
     */
    public void resign() {
        Term present = present();
        if (present != null) {
            present.resign();
        }
    }

    /**
     * Campaigns no more, and ends its observations. If it leads, the term is no longer valid, {@code
     * onLost} is called and the body's thread is interrupted if the options say so; the office is
     * kept, and renewed, until the body has returned. Does not wait for that. Idempotent, never
     * throws.
     */
    @Override
    public void close() {
        Acquirer ended;
        Term present;
        lock.lock();
        try {
            closed = true;
            ended = campaign;
            present = term;
        } finally {
            lock.unlock();
        }
        boolean leads = present != null
                && client.renewer.end(present.lease().held(), "its candidate is being closed");
        if (!leads && ended != null) { // which also gives back a term whose body has not begun
            ended.cancel(new StoreUnavailableException("the candidate of " + office + " withdrew"));
        }
        observations.forEach(Observation::close);
        leasehold.forget(this);
    }

    // ---- campaigning

    private void campaign() {
        if (isClosed()) {
            return; // in the pause before this campaign
        }
        LockOptions plain = LockOptions.defaults().withTtl(options.ttl());
        LockOptions held = options.interruptOnLoss() ? plain.withInterruptOnLoss() : plain;
        Bid bid = Bid.of(Claim.exclusive(office), held, FencedLock.MAX_WAIT);
        Bid candidacy = options.record().map(bid::publishing).orElse(bid);
        Acquirer acquirer = leasehold.startAcquire(candidacy);
        if (!stands(acquirer)) {
            acquirer.cancel(Leasehold.closed());
        }
        acquirer.result().whenComplete((came, error) -> {
            if (came instanceof Acquirer.Result.Obtained obtained) {
                elected(obtained.lease());
            } else {
                campaignLater(error);
            }
        });
    }

    private boolean stands(Acquirer acquirer) {
        lock.lock();
        try {
            campaign = acquirer;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void campaignLater(@Nullable Throwable error) {
        long pause;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            pause = FIRST_PAUSE_NANOS << Math.min(failures++, MAX_DOUBLINGS);
        } finally {
            lock.unlock();
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                () -> "no term yet; campaigning again: " + office,
                error);
        client.time.schedule(
                Duration.ofNanos((long) (pause * (0.5 + client.random.nextDouble()))),
                this::campaign);
    }

    // ---- leading

    private void elected(HeldLease lease) {
        Term begun = new Term(new Lease(client, lease), losses);
        boolean wanted;
        lock.lock();
        try {
            wanted = !closed;
            term = begun;
        } finally {
            lock.unlock();
        }
        if (!wanted) {
            client.release(lease);
            return;
        }
        client.work(lease, () -> lead(begun), this::campaignLater);
    }

    private void lead(Term begun) {
        HeldLease lease = begun.lease().held();
        boolean failed = true;
        try {
            // it may have been resigned, closed, or lost, before a thread was free
            if (begun.isValid() && client.renewer.bodyBegins(lease)) {
                LOG.log(System.Logger.Level.INFO, () -> "elected; " + begun);
                runTerm(begun);
                LOG.log(System.Logger.Level.INFO, () -> "no longer leading; " + begun);
            }
            failed = false;
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.WARNING, () -> "the leader's body failed; " + begun, e);
            ForeignCode.throwIfFatal(e);
        } finally { // also if it can't be logged
            client.release(lease);
            ended(failed);
        }
    }

    private void runTerm(Term begun) throws Exception {
        long begunAt = client.time.nanos();
        client.listener.now(listener -> listener.onTermBegin(new TermBegan(office, begun.token())));
        try {
            runBody(begun);
        } finally {
            Duration led = Duration.ofNanos(client.time.nanos() - begunAt);
            client.listener.now(
                    listener -> listener.onTermEnd(new TermEnded(office, begun.token(), led)));
        }
    }

    private void runBody(Term begun) throws Exception {
        try {
            body().lead(begun);
        } finally {
            if (client.renewer.bodyEnds(begun.lease().held())) {
                boolean unused = Thread.interrupted(); // it was meant for the body
            }
        }
    }

    private void ended(boolean failed) {
        boolean again;
        lock.lock();
        try {
            term = null;
            failures = failed ? failures : 0;
            again = !closed && options.campaignAgain();
        } finally {
            lock.unlock();
        }
        if (again && failed) {
            campaignLater(null);
        } else if (again) {
            campaign();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private Body body() {
        if (body == null) {
            throw new AssertionError("who only looks on is not elected");
        }
        return body;
    }
}
