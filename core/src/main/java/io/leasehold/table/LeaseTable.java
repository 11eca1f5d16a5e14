// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Limits;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenCheck;
import io.leasehold.spi.TokenState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every rule of acquire, renew, rotate, release, complete, expiry, queueing and token, in one
 * place. Deterministic: no I/O, no threads, no clock. Time is an argument, in nanoseconds of store
 * time, and must never decrease.
 *
 * <p>Each operation first brings the table up to {@code now}: waits that are over are answered,
 * leases that ran out go, and whoever comes next in line is granted. So every decision is made on
 * live leases alone, and expiry needs no thread; {@link #wakeAt} tells a driver when a waiter would
 * gain from a call of {@link #advance}.
 *
 * <h2>Stripes</h2>
 *
 * The table is not thread-safe, but it falls into stripes that can be driven in parallel. Scopes
 * that could ever overlap share a stripe, and an operation touches only the stripe of its claim,
 * {@link #stripeOf}, as long as that is {@linkplain #isIsolated isolated}: no lease or waiter in it
 * spans several stripes. Then the stripe's own lock will do for operations on its claims; in every
 * other case the driver holds the locks of all stripes. Only the counters are shared, and they are
 * atomic.
 */
public final class LeaseTable {

    /** In place of a stripe: all of them. */
    public static final int ALL = -1;

    /** {@link #wakeAt} when nobody waits. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Hears of every change from within the operation that makes it. */
    public interface Listener {

        /** Whether anyone wants to know; events are not even made otherwise. */
        boolean isListening();

        void on(LeaseEvent event);

        /** Whether changes are to be recorded; entries are not even made otherwise. */
        default boolean isRecording() {
            return false;
        }

        /** Takes down what a copy of the table needs to follow the change. */
        default void record(TableEntry entry) {}

        /** Wants to know nothing. */
        static Listener nobody() {
            return NOBODY;
        }
    }

    private static final Listener NOBODY = new Listener() {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void on(LeaseEvent event) {}
    };

    private static final Ending.Ended ENDED = new Ending.Ended();
    private static final Acquisition ANOTHER_REQUEST =
            new Acquisition.Gone(RefusalReason.SCOPE_MISMATCH);
    private static final Acquisition EXPIRED = new Acquisition.Gone(RefusalReason.EXPIRED);
    private static final Raising.Raised RAISED = new Raising.Raised();

    private final Listener listener;
    private final Stripes stripes;
    private final KnownIds ids;
    private final LeaseBook book;
    private final Queues queues;

    /**
     * An empty table.
     *
     * @param stripes how many parts may be driven in parallel, a power of two; 1 for a driver with one thread or
     *     one lock
     * @param lastToken the last token that was drawn in this namespace, 0 for a new one
     */
    public LeaseTable(TableOptions options, int stripes, long lastToken, Listener listener) {
        if (Integer.bitCount(stripes) != 1) {
            throw new IllegalArgumentException(stripes + " stripes; it must be a power of two");
        }
        if (lastToken < 0 || lastToken > FencingToken.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "last token " + lastToken + " is outside 0 to " + FencingToken.MAX_VALUE);
        }
        this.listener = listener;
        RetryMemory.Shared remembered =
                new RetryMemory.Shared(options.retryWindow().toNanos(), options.maxRemembered());
        this.stripes = new Stripes(stripes, remembered);
        this.ids = this.stripes.ids;
        this.book = new LeaseBook(this.stripes, options.maxLeases(), lastToken);
        this.queues = new Queues(this.stripes, options.maxWaitersPerScope());
    }

    /** The one stripe that all scopes of the claim lie in, or {@link #ALL}. Needs no lock. */
    public int stripeOf(Claim claim) {
        return stripes.numberOf(claim);
    }

    /** Whether no lease or waiter of the stripe reaches into another. Needs the stripe's lock. */
    public boolean isIsolated(int stripe) {
        return stripes.isIsolated(stripe);
    }

    /** The last token that was drawn. */
    public long lastToken() {
        return book.lastToken();
    }

    /**
     * Asks for a lease. The reply comes before this returns, or, if the request queues, in the
     * course of a later operation.
     *
     * @throws LimitExceededException if there is no room for the lease, the waiter or the token;
     *     nothing changed
     */
    public void acquire(LeaseRequest request, long now, Reply reply) {
        acquire(request, Round.NONE, now, reply);
    }

    /** The same, in a round that {@link #retract} can tell from earlier ones. */
    public void acquire(LeaseRequest request, Round round, long now, Reply reply) {
        Claim claim = request.claim();
        Stripe home = enter(claim, now);
        LiveLease own = book.find(claim, request.id());
        if (own != null) {
            repeat(own, request, round, now, reply);
            return;
        }
        Waiter waiter = home.waiters.isEmpty() ? null : home.waiters.get(request.id());
        if (waiter != null) {
            repeat(waiter, request, round, now, reply);
            return;
        }
        if (!ids.take(request.id())) {
            // for other scopes
            reply.settle(ids.isOver(request.id(), now) ? EXPIRED : ANOTHER_REQUEST);
            return;
        }
        boolean kept = false;
        Acquisition answer;
        try {
            answer = decide(request, round, now, reply);
            kept = answer == null;
        } finally {
            if (!kept) {
                ids.giveUp(request.id());
            }
        }
        if (answer != null) {
            reply.settle(answer);
        }
    }

    /** Decides on a new request; null if it has a lease or waits now. */
    private @Nullable Acquisition decide(LeaseRequest request, Round round, long now, Reply reply) {
        Outcome ended = ids.recall(request.id(), now);
        if (ended != null) {
            return ended.end() == End.EXPIRED
                    ? EXPIRED
                    : new Acquisition.Gone(RefusalReason.NOT_FOUND);
        }
        KeptRecord kept = book.keptFor(request);
        if (kept != null) {
            return kept.answer(now);
        }
        Claim claim = request.claim();
        LiveLease holder = queues.holderInTheWay(claim);
        Agreement agreement = round.isNone() ? null : Agreement.madeIn(round);
        if (holder == null && queues.waiterInTheWay(claim, NEVER) == null) {
            LiveLease lease = grant(request, agreement, now);
            answer(
                    new Acquisition.Granted(
                            lease.grant(), lease.version(), lease.validity(now, now)),
                    lease,
                    reply);
        } else if (request.terms().waitAtMost().isZero()) {
            return held(queues.holderBefore(claim, NEVER), now);
        } else {
            queues.enqueue(request, now, reply, holder).agreement = agreement;
        }
        return null;
    }

    private static void answer(Acquisition answer, LiveLease lease, Reply reply) {
        if (lease.agreement != null && answer instanceof Acquisition.Granted granted) {
            reply.settle(granted, lease.tokenState());
        } else {
            reply.settle(answer);
        }
    }

    /**
     * Takes a request back: out of the queue, or out of the lease it became. While another request has
     * the id, under another claim, there is nothing to take back and nothing to remember.
     */
    public Ending withdraw(LeaseRequest request, long now) {
        Stripe home = enter(request.claim(), now);
        Waiter waiter = waiterOf(request, home);
        LiveLease lease = leaseOf(request);
        if (waiter != null) {
            rememberWithdrawn(request.id(), now);
            withdraw(waiter, now);
        } else if (lease != null && lease.isHeld(now)) {
            withdraw(lease, now);
        } else if (ids.take(request.id())) {
            if (ids.recall(request.id(), now) == null) {
                rememberWithdrawn(request.id(), now);
            }
            ids.giveUp(request.id());
        }
        return ENDED;
    }

    /**
     * The same, if nobody but the request's sender can rely on it. One that waited may come again: it is
     * not remembered, because in a quorum only the node where it waited would.
     */
    public Ending withdrawUnlessUsed(LeaseRequest request, long now) {
        Stripe home = enter(request.claim(), now);
        Waiter waiter = waiterOf(request, home);
        LiveLease lease = leaseOf(request);
        if (waiter != null) {
            if (request.sender() == 0 || waiter.sender() != request.sender()) {
                return new Refused(RefusalReason.NOT_HOLDER);
            }
            withdraw(waiter, now);
        } else if (lease != null && lease.isHeld(now)) {
            if (!lease.isUnusedBut(request.sender())) {
                return new Refused(RefusalReason.NOT_HOLDER);
            }
            withdraw(lease, now);
        } else if (!isOver(request.id(), now)) {
            return new Refused(RefusalReason.NOT_FOUND);
        }
        return ENDED;
    }

    /** Who waits with the id and the claim of the request. */
    private static @Nullable Waiter waiterOf(LeaseRequest request, Stripe home) {
        Waiter waiter = home.waiters.get(request.id());
        return waiter != null && waiter.request.claim().equals(request.claim()) ? waiter : null;
    }

    /** The lease with the id and the claim of the request. */
    private @Nullable LiveLease leaseOf(LeaseRequest request) {
        LiveLease lease = book.find(request.claim(), request.id());
        return lease != null && lease.claim.equals(request.claim()) ? lease : null;
    }

    private boolean isOver(LeaseId id, long now) {
        return ids.isOver(id, now) || ids.recall(id, now) != null;
    }

    private void withdraw(Waiter waiter, long now) {
        queues.leave(waiter);
        waiter.settle(new Acquisition.Gone(RefusalReason.NOT_FOUND));
        handOver(waiter.request.claim().scopes(), now);
    }

    private void withdraw(LiveLease lease, long now) {
        end(lease, Outcome.of(End.WITHDRAWN, lease.token), Change.RELEASED, now);
        handOver(lease.claim.scopes(), now);
    }

    private void rememberWithdrawn(LeaseId id, long now) {
        Outcome withdrawn = Outcome.of(End.WITHDRAWN, 0);
        ids.remember(id, withdrawn, now);
        if (listener.isRecording()) {
            listener.record(new TableEntry.Ended(id, Optional.empty(), withdrawn, now));
        }
    }

    /**
     * Lets a lease run again from now for the length asked for, or else for its own; which never
     * shortens it.
     */
    public Renewal renew(RenewalRequest request, long now) {
        Grant grant = request.grant();
        Stripe unused = enter(grant.holding().claim(), now);
        LiveLease lease = book.find(grant.holding().claim(), grant.id());
        if (lease == null) {
            return refuseRenewal(absence(grant, now), grant);
        }
        RefusalReason mismatch = mismatch(lease, grant, now);
        if (mismatch != null) {
            return refuseRenewal(mismatch, grant);
        }
        if (request.expectedVersion().orElse(lease.version()) != lease.version()) {
            return refuseRenewal(RefusalReason.VERSION_MISMATCH, grant);
        }
        if (lease.renew(request.ttl().orElse(lease.ttl()), now)) {
            record(lease);
        }
        tell(Change.RENEWED, lease);
        return new Renewal.Renewed(lease.version(), lease.validity(now, now));
    }

    private Refused refuseRenewal(RefusalReason reason, Grant grant) {
        if (listener.isListening()) {
            listener.on(new LeaseEvent.RenewalRefused(reason, grant.holding()));
        }
        return new Refused(reason);
    }

    /** Draws a new token for the holder. */
    public Rotation rotate(Grant grant, long now) {
        return rotate(grant, Round.NONE, now);
    }

    /** The same, in a round of a quorum. */
    public Rotation rotate(Grant grant, Round round, long now) {
        Stripe unused = enter(grant.holding().claim(), now);
        LiveLease lease = book.find(grant.holding().claim(), grant.id());
        if (lease == null) {
            return new Refused(absence(grant, now));
        }
        RefusalReason mismatch = mismatch(lease, grant, now);
        if (mismatch == null) {
            lease.rotate(book.drawToken());
            if (lease.isAgreedOn(round)) {
                lease.agreement().rotate(lease.token, round);
            }
            record(lease);
            tellDraw(Change.ROTATED, lease);
        } else if (mismatch != RefusalReason.TOKEN_MISMATCH
                || !lease.wasRotatedFrom(grant.token().value())) {
            return new Refused(mismatch);
        } else {
            lease.ask(round);
        }
        return new Rotation.Rotated(lease.grant(), lease.version(), lease.validity(now, now));
    }

    /** What a node of a quorum knows of the token of the lease, if it is held. */
    public TokenState tokenState(Grant grant) {
        LiveLease lease = book.find(grant.holding().claim(), grant.id());
        return lease == null ? TokenState.NONE : lease.tokenState();
    }

    /** Gives a lease a token that was proposed in a round, as a node of a quorum must. */
    public Raising raise(Grant grant, FencingToken to, Round round, long now) {
        Stripe unused = enter(grant.holding().claim(), now);
        LiveLease lease = book.find(grant.holding().claim(), grant.id());
        if (lease == null) {
            return new Refused(absence(grant, now));
        }
        RefusalReason mismatch = mismatch(lease, grant, now);
        if (mismatch != null
                && (mismatch != RefusalReason.TOKEN_MISMATCH || lease.token != to.value())) {
            return new Refused(mismatch);
        }
        long before = lease.agreedToken();
        if (!lease.take(round, to.value())) {
            return new Refused(RefusalReason.TOKEN_MISMATCH);
        }
        tellIfTaken(lease, before);
        return RAISED;
    }

    private void tellIfTaken(LiveLease lease, long before) {
        if (lease.agreedToken() != before) {
            book.skipTo(lease.token);
            record(lease);
            tell(lease.wasRotated() ? Change.ROTATED : Change.GRANTED, lease);
        }
    }

    /** Enters a lease that other tables have, or gives it their token, as a node of a quorum must. */
    public Acquisition restore(LeaseRequest request, FencingToken token, long now) {
        Stripe home = enter(request.claim(), now);
        LiveLease lease = book.find(request.claim(), request.id());
        if (lease != null && lease.isHeld(now) && lease.claim.equals(request.claim())) {
            long before = lease.agreedToken();
            lease.restore(token.value());
            tellIfTaken(lease, before);
            return stillGranted(lease, now);
        }
        Outcome ended = ids.recall(request.id(), now);
        if (lease != null || (ended != null && ended.end() != End.EXPIRED)) {
            return new Acquisition.Gone(
                    lease == null ? RefusalReason.NOT_FOUND : RefusalReason.EXPIRED);
        }
        LiveLease holder = queues.holderInTheWay(request.claim());
        if (holder != null) {
            return held(holder, now);
        }
        return enter(request, waiterOf(request, home), token, now);
    }

    /** Enters a lease under a token that other tables agreed on, and answers the request if it waits. */
    private Acquisition enter(
            LeaseRequest request, @Nullable Waiter waiter, FencingToken token, long now) {
        boolean isNew = waiter == null;
        if (isNew && !ids.take(request.id())) {
            return ANOTHER_REQUEST;
        }
        LiveLease entered;
        try {
            entered = book.enter(request, token.value(), now);
        } catch (LimitExceededException e) {
            if (isNew) {
                ids.giveUp(request.id());
            }
            throw e;
        }
        entered.agreement = Agreement.ofNobody(0);
        entered.agreement.finish();
        record(entered);
        tell(Change.GRANTED, entered);
        if (waiter != null) {
            queues.leave(waiter);
            answer(waiter, entered, now);
            handOver(entered.claim.scopes(), now);
        }
        return stillGranted(entered, now);
    }

    /**
     * Takes back, as if it had never come, what the round's attempt alone asked for, and not in a
     * later round.
     */
    public Ending retract(LeaseRequest request, Round round, long now) {
        Stripe home = enter(request.claim(), now);
        Waiter waiter = home.waiters.get(request.id());
        LiveLease lease = book.find(request.claim(), request.id());
        if (waiter != null && isGivenBack(waiter.agreement, round)) {
            queues.leave(waiter);
            waiter.settle(new Acquisition.Gone(RefusalReason.NOT_FOUND));
            handOver(waiter.request.claim().scopes(), now);
        } else if (lease != null && lease.isHeld(now) && isGivenBack(lease.agreement, round)) {
            book.vacate(lease);
            if (listener.isRecording()) {
                listener.record(new TableEntry.Cleared(lease.id, lease.claim));
            }
            if (lease.agreedToken() != 0) {
                tell(Change.RELEASED, lease);
            }
            handOver(lease.claim.scopes(), now);
        }
        return ENDED;
    }

    private static boolean isGivenBack(@Nullable Agreement agreement, Round round) {
        return agreement != null && agreement.isGivenBackBy(round);
    }

    /** Sees to it that the next token is above the given one. */
    public void skipTo(long token) {
        book.skipTo(token);
    }

    /**
     * From now on draws only tokens that leave the given rest when divided, as a node of a quorum
     * must. To be called before the first is drawn.
     */
    public void drawEvery(long divisor, long rest) {
        book.drawEvery(divisor, rest);
    }

    /** Ends a lease. */
    public Ending release(Grant grant, long now) {
        Outcome released = Outcome.of(End.RELEASED, grant.token().value());
        return end(grant, released, now, lease -> {
            end(lease, released, Change.RELEASED, now);
            return lease.claim.scopes();
        });
    }

    /**
     * Ends the lease that holds the scope under the token, whoever holds it. It counts as withdrawn:
     * no release that its holder could repeat, and nothing that comes back.
     */
    public Ending forceRelease(Scope scope, FencingToken token, long now) {
        Stripe unused = enter(Claim.exclusive(scope), now);
        LiveLease lease = book.find(scope, token);
        if (lease == null) {
            return new Refused(
                    book.isHeld(scope, now) ? RefusalReason.NOT_HOLDER : RefusalReason.NOT_FOUND);
        }
        if (!lease.isHeld(now)) {
            return new Refused(RefusalReason.EXPIRED);
        }
        withdraw(lease, now);
        return ENDED;
    }

    /**
     * Ends a lease and leaves a record at its scopes; with no time to keep it, only erases what is
     * there. A repeat is one only with the same record, to be kept for as long.
     */
    public Ending complete(Grant grant, LeaseRecord record, Duration keepFor, long now) {
        long keep = Limits.keepFor(keepFor).toNanos();
        Outcome completed = Outcome.completed(grant.token().value(), record, keep);
        return end(grant, completed, now, lease -> {
            List<KeptRecord> kept = leave(lease, record, keep, now);
            end(lease, completed, Change.COMPLETED, now);
            List<Scope> freed = new ArrayList<>(lease.claim.scopes());
            kept.forEach(left -> freed.addAll(queues.answerWith(left, now)));
            return freed;
        });
    }

    /**
     * Leaves the record at the scopes of a lease that is about to end. It is told of before the
     * end is: whoever knows of the end knows of the record.
     */
    private List<KeptRecord> leave(LiveLease lease, LeaseRecord record, long keep, long now) {
        List<Scope> scopes = lease.claim.scopes();
        List<KeptRecord> kept = new ArrayList<>(scopes.size());
        for (Scope scope : scopes) {
            if (keep == 0) {
                book.erase(scope);
            } else {
                kept.add(book.keep(scope, lease.holding(), record, now, now + keep));
            }
        }
        if (listener.isRecording()) {
            listener.record(
                    keep == 0
                            ? new TableEntry.Erased(scopes)
                            : new TableEntry.Kept(
                                    scopes, lease.holding(), record, now, now + keep));
        }
        return kept;
    }

    /** Takes over a record from another node of a quorum, unless there is one as new or newer. */
    public void keep(NodeRecord record, long now) {
        Stripe unused = enter(Claim.exclusive(record.scope()), now);
        KeptRecord kept = book.keepNewest(record, now);
        if (kept != null) {
            if (listener.isRecording()) {
                listener.record(kept.entry());
            }
            handOver(queues.answerWith(kept, now), now);
        }
    }

    /** The record at exactly this scope. */
    public Optional<NodeRecord> record(Scope scope, long now) {
        Stripe unused = enter(Claim.exclusive(scope), now);
        return Optional.ofNullable(book.keptAt(scope)).map(kept -> kept.copy(now));
    }

    /** A part of all records, see {@code QuorumNode}. Touches all stripes. */
    public NodeRecord.Page records(String cursor, long now) {
        advance(ALL, now);
        return RecordListing.of(stripes, Long.parseLong(cursor), now);
    }

    /** Brings a stripe, or all, up to the given time. */
    public void advance(int stripe, long now) {
        List<Stripe> touched = stripes.touchedFrom(stripe);
        List<Scope> freed = new ArrayList<>();
        List<Waiter> overdue = new ArrayList<>();
        for (Stripe part : touched) {
            collectOverdue(part, now, overdue, freed);
        }
        answerOverdue(overdue, now);
        for (Stripe part : touched) {
            expire(part, now, freed);
        }
        handOver(freed, now);
    }

    /** When {@link #advance} would do a waiter some good; {@link #NEVER} if nobody waits. */
    public long wakeAt(int stripe) {
        long earliest = NEVER;
        for (Stripe part : stripes.touchedFrom(stripe)) {
            if (!part.wakeUps.isEmpty()) {
                earliest = Math.min(earliest, part.wakeUps.first().dueAt());
            }
        }
        return earliest;
    }

    /** The one stripe that a listing touches, or {@link #ALL}. Needs no lock. */
    public int stripeOf(LeaseQuery query) {
        return query.overlapping().map(stripes::numberOf).orElse(ALL);
    }

    /** Lists leases and records in token order. Touches {@link #stripeOf(LeaseQuery)}. */
    public LeasePage list(LeaseQuery query, long now) {
        advance(stripeOf(query), now);
        return Listing.of(stripes, query, now);
    }

    /** How a token stands at a scope. Touches the stripe of the query for what overlaps it. */
    public TokenCheck check(Scope scope, FencingToken token, long now) {
        advance(stripeOf(LeaseQuery.overlapping(scope)), now);
        return Listing.check(stripes, scope, token, now);
    }

    /** How many leases and records there are. Touches all stripes. */
    public int size() {
        int size = 0;
        for (Stripe part : stripes.touchedFrom(ALL)) {
            size += part.ends.size();
        }
        return size;
    }

    /** How many scopes the indexes know. Touches all stripes. */
    int indexed() {
        int indexed = 0;
        for (Stripe part : stripes.touchedFrom(ALL)) {
            indexed += part.index.all().size();
        }
        return indexed;
    }

    /** How many lease ids leases and waiters have. */
    int idsInUse() {
        return ids.inUse();
    }

    /** Copies what the table holds, to be read entry by entry. Touches all stripes. */
    public TableCopy copy() {
        return TableCopy.of(stripes.touchedFrom(ALL), ids);
    }

    /**
     * Takes an entry back in that this or another table told of or gave out. Makes no decision and
     * looks at no clock. For tables of one stripe.
     */
    public void restore(TableEntry entry) {
        if (entry instanceof TableEntry.Leased leased) {
            book.restore(leased);
        } else if (entry instanceof TableEntry.Ended ended) {
            ended.claim().ifPresent(claim -> book.vacate(claim, ended.id()));
            ids.remember(ended.id(), ended.outcome(), ended.at());
            book.skipTo(ended.outcome().token());
        } else if (entry instanceof TableEntry.Cleared cleared) {
            book.vacate(cleared.claim(), cleared.id());
        } else if (entry instanceof TableEntry.Kept kept) {
            book.restore(kept);
        } else if (entry instanceof TableEntry.Erased erased) {
            erased.scopes().forEach(book::erase);
        }
    }

    /**
     * Notes, while entries are restored, that there was a restart at the time given: leases that
     * were granted or renewed since the one before ran again in full, all others as long as they
     * had.
     */
    public void restoreRestart(long now) {
        for (Stripe part : stripes.touchedFrom(ALL)) {
            part.ends.forEach(end -> {
                if (end instanceof LiveLease lease) {
                    lease.resume(now);
                }
            });
        }
    }

    /**
     * Goes on after a restart, at the time given, with what was restored.
     *
     * @param lastToken the last token that was drawn, as far as is known otherwise
     */
    public void resume(long lastToken, long now) {
        book.skipTo(lastToken);
        restoreRestart(now);
        stripes.touchedFrom(ALL).forEach(part -> part.ends.reorder());
    }

    /** Empties the queues, failing every attempt in them. Touches all stripes. */
    public void failWaiters(LeaseholdException reason) {
        for (Stripe part : stripes.touchedFrom(ALL)) {
            for (Waiter waiter : List.copyOf(part.waiters.values())) {
                queues.leave(waiter);
                waiter.fail(reason);
            }
        }
    }

    // ---- the course of time

    /** Brings what the claim may touch up to date and returns its home. */
    private Stripe enter(Claim claim, long now) {
        int number = stripes.numberOf(claim);
        for (Stripe part : stripes.touchedFrom(number)) {
            if (!part.isQuiet(now)) {
                advance(number, now);
                break;
            }
        }
        return stripes.home(number);
    }

    /** Finds the waits that are over; whoever else is due is left to the hand-over that follows. */
    private void collectOverdue(Stripe part, long now, List<Waiter> overdue, List<Scope> freed) {
        while (part.wakeUps.isDue(now)) {
            Waiter waiter = part.wakeUps.first();
            freed.addAll(waiter.request.claim().scopes());
            if (waiter.isOver(now)) {
                part.wakeUps.remove(waiter);
                overdue.add(waiter);
            } else {
                queues.lookAgainAt(waiter, NEVER);
            }
        }
    }

    /**
     * Answers the waits that are over, before anything frees up: whoever is late gets nothing. All
     * are judged before any of them leaves, because one may wait behind another.
     */
    private void answerOverdue(List<Waiter> overdue, long now) {
        List<Acquisition.Held> answers = new ArrayList<>(overdue.size());
        for (Waiter waiter : overdue) {
            answers.add(held(queues.holderBefore(waiter.request.claim(), waiter.sequence), now));
        }
        for (int i = 0; i < overdue.size(); i++) {
            Acquisition.Held held = answers.get(i);
            queues.leave(overdue.get(i));
            overdue.get(i).settle(held);
        }
    }

    private void expire(Stripe part, long now, List<Scope> freed) {
        while (part.ends.isDue(now)) {
            TimerHeap.Timed due = part.ends.first();
            if (due instanceof KeptRecord kept) {
                book.drop(kept);
            } else if (due instanceof LiveLease lease) {
                if (lease.defer()) {
                    part.ends.update(lease);
                } else if (lease.expire()) {
                    ids.remember(lease.id, Outcome.of(End.EXPIRED, lease.token), now);
                    recordExpiry(lease, now);
                    tell(Change.EXPIRED, lease);
                } else {
                    book.vacate(lease);
                    recordClearing(lease);
                    freed.addAll(lease.claim.scopes());
                }
            }
        }
    }

    /**
     * Grants to the waiters who may have been held up by the given scopes, first come first served.
     */
    private void handOver(List<Scope> freed, long now) {
        if (freed.isEmpty()) {
            return;
        }
        queues.forEachGrantable(freed, waiter -> {
            queues.leave(waiter);
            try {
                grantTo(waiter, now);
            } catch (LimitExceededException e) {
                waiter.fail(e);
            }
        });
    }

    private void grantTo(Waiter waiter, long now) {
        if (!ids.take(waiter.request.id())) {
            // its id was used for other scopes since it left the queue
            waiter.settle(ANOTHER_REQUEST);
            return;
        }
        LiveLease lease;
        try {
            lease = grant(waiter.request, waiter.agreement, now);
        } catch (LimitExceededException e) {
            ids.giveUp(waiter.request.id());
            throw e;
        }
        lease.sentBy(waiter.sender());
        answer(waiter, lease, now);
    }

    /** Answers every attempt of a request with the lease that it became. */
    private static void answer(Waiter waiter, LiveLease lease, long now) {
        for (Waiter.Attempt attempt : waiter.attempts) {
            answer(
                    new Acquisition.Granted(
                            lease.grant(),
                            lease.version(),
                            lease.validity(attempt.arrivedAt(), now)),
                    lease,
                    attempt.reply());
        }
    }

    // ---- changes

    private LiveLease grant(LeaseRequest request, @Nullable Agreement agreement, long now) {
        LiveLease lease = book.grant(request, now);
        if (agreement != null) {
            agreement.drawn(lease.token);
            lease.agreement = agreement;
        }
        record(lease);
        tellDraw(Change.GRANTED, lease);
        return lease;
    }

    /** Ends the lease of the grant in the given way, which says what that freed. */
    private Ending end(
            Grant grant, Outcome outcome, long now, Function<LiveLease, List<Scope>> ending) {
        Claim claim = grant.holding().claim();
        Stripe unused = enter(claim, now);
        LiveLease lease = book.find(claim, grant.id());
        if (lease == null) {
            return ids.isRepeat(grant.id(), outcome, now)
                    ? ENDED
                    : new Refused(absence(grant, now));
        }
        RefusalReason mismatch = mismatch(lease, grant, now);
        if (mismatch != null) {
            return new Refused(mismatch);
        }
        handOver(ending.apply(lease), now);
        return ENDED;
    }

    private void end(LiveLease lease, Outcome outcome, Change change, long now) {
        ids.remember(lease.id, outcome, now);
        book.vacate(lease);
        recordEnd(lease, Optional.of(lease.claim), outcome, now);
        tell(change, lease);
    }

    // ---- questions

    /**
     * Why the lease that was found under the grant's id is not, or no longer, that grant; null if
     * it is.
     */
    private static @Nullable RefusalReason mismatch(LiveLease found, Grant grant, long now) {
        if (!found.isHeld(now)) {
            return RefusalReason.EXPIRED;
        }
        if (!found.claim.equals(grant.holding().claim())) {
            return RefusalReason.SCOPE_MISMATCH;
        }
        return found.token == grant.token().value() ? null : RefusalReason.TOKEN_MISMATCH;
    }

    /** Why there is no lease under the grant's id. */
    private RefusalReason absence(Grant grant, long now) {
        Holding holding = grant.holding();
        LiveLease successor = queues.successor(holding.claim(), now);
        if (successor != null) {
            boolean same = successor.holder().equals(holding.holder());
            return same ? RefusalReason.TOKEN_MISMATCH : RefusalReason.NOT_HOLDER;
        }
        Outcome ended = ids.recall(grant.id(), now);
        return ended != null && ended.end() == End.EXPIRED
                ? RefusalReason.EXPIRED
                : RefusalReason.NOT_FOUND;
    }

    /** Another request under the id is refused, and leaves no trace. */
    private static void repeat(
            LiveLease own, LeaseRequest request, Round round, long now, Reply reply) {
        if (own.isOf(request)) {
            own.ask(round);
            own.sentBy(request.sender());
            answer(stillGranted(own, now), own, reply);
        } else {
            reply.settle(ANOTHER_REQUEST);
        }
    }

    private static Acquisition stillGranted(LiveLease own, long now) {
        if (!own.isHeld(now)) {
            return new Acquisition.Gone(RefusalReason.EXPIRED);
        }
        return new Acquisition.Granted(own.grant(), own.version(), own.validity(now, now));
    }

    private static void repeat(
            Waiter waiter, LeaseRequest request, Round round, long now, Reply reply) {
        if (request.isRepeatOf(waiter.request)) {
            if (waiter.agreement != null) {
                waiter.agreement.ask(round);
            }
            waiter.join(request, now, reply);
        } else {
            reply.settle(ANOTHER_REQUEST);
        }
    }

    private static Acquisition.Held held(LiveLease holder, long now) {
        return new Acquisition.Held(
                holder.holding(), holder.remaining(now), holder.record(), !holder.isHeld(now));
    }

    // ---- telling

    private void record(LiveLease lease) {
        if (listener.isRecording()) {
            listener.record(lease.entry());
        }
    }

    private void recordEnd(LiveLease lease, Optional<Claim> freed, Outcome outcome, long now) {
        if (listener.isRecording()) {
            listener.record(new TableEntry.Ended(lease.id, freed, outcome, now));
        }
    }

    private void recordExpiry(LiveLease lease, long now) {
        Outcome expired = Outcome.of(End.EXPIRED, lease.token);
        if (lease.hasLockDelay()) {
            recordEnd(lease, Optional.empty(), expired, now);
            record(lease);
        } else {
            recordEnd(lease, Optional.of(lease.claim), expired, now);
        }
    }

    private void recordClearing(LiveLease lease) {
        if (lease.hasLockDelay() && listener.isRecording()) {
            listener.record(new TableEntry.Cleared(lease.id, lease.claim));
        }
    }

    /** In a quorum a draw is only a proposal: the lease is told when a token is taken for it. */
    private void tellDraw(Change change, LiveLease lease) {
        if (lease.agreement == null) {
            tell(change, lease);
        }
    }

    private void tell(Change change, LiveLease lease) {
        if (listener.isListening()) {
            listener.on(new LeaseEvent.Changed(change, lease.holding()));
        }
    }
}
