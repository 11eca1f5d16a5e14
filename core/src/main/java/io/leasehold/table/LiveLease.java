// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import io.leasehold.spi.Validity;
import io.leasehold.table.TableEntry.Phase;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease in the table, from its grant until nothing of it stands in anyone's way: through its
 * time, then through its lock-delay if it expired and has one.
 *
 * <p>Its place in the timer heap is for {@link #dueAt}, which renewal leaves behind: a renewal
 * moves {@link #expiry} and costs nothing more; when the old time comes, the table finds the lease
 * renewed and moves it.
 */
final class LiveLease implements TimerHeap.Timed, KnownIds.Owner {

    /** More than there can be of them between two starts; so no version comes twice. */
    private static final long UNTOLD_RENEWALS = 1L << 32;

    final LeaseId id;
    final Claim claim;
    private final Holder holder;
    private final @Nullable Extras extras;
    private final long grantedAt;
    private final long askedTtl; // what its request asked for; 0 if that is not known

    long token;

    @Nullable
    Agreement agreement; // in a node of a quorum

    private long sender; // the only one, or 0
    private Duration ttl;
    private volatile long expiry; // changed under the lock of its stripe, read by others too
    private long version = 1;
    private long rotatedFrom;
    private long dueAt;
    private int slot = TimerHeap.NOWHERE;
    private boolean lingering;
    private boolean carriedOver;

    /** What few leases have. */
    private record Extras(long lockDelay, Optional<LeaseRecord> record) {

        static @Nullable Extras of(Duration lockDelay, Optional<LeaseRecord> record) {
            return lockDelay.isZero() && record.isEmpty()
                    ? null
                    : new Extras(lockDelay.toNanos(), record);
        }
    }

    LiveLease(LeaseRequest request, long token, long now) {
        this(request, request.terms().ttl().toNanos(), token, now);
    }

    /** One whose request may have been another than this, as other tables know it. */
    static LiveLease ofUnknownRequest(LeaseRequest request, long token, long now) {
        return new LiveLease(request, 0, token, now);
    }

    private LiveLease(LeaseRequest request, long askedTtl, long token, long now) {
        LeaseRequest.Terms terms = request.terms();
        this.id = request.id();
        this.claim = request.claim();
        this.holder = request.holder();
        this.extras = Extras.of(terms.lockDelay(), terms.record());
        this.token = token;
        this.sender = request.sender();
        this.ttl = terms.ttl();
        this.askedTtl = askedTtl;
        this.grantedAt = now;
        this.expiry = now + ttl.toNanos();
        this.dueAt = expiry;
    }

    /** The lease of an entry. */
    LiveLease(TableEntry.Leased entry) {
        Grant grant = entry.grant();
        TableEntry.Course course = entry.course();
        this.id = grant.id();
        this.claim = grant.holding().claim();
        this.holder = grant.holding().holder();
        this.extras = Extras.of(entry.lockDelay(), entry.record());
        this.token = grant.token().value();
        this.ttl = grant.ttl();
        this.askedTtl = entry.askedTtl().map(Duration::toNanos).orElse(0L);
        this.grantedAt = course.grantedAt();
        this.expiry = course.expiry();
        this.version = course.version();
        this.rotatedFrom = course.rotatedFrom();
        this.lingering = course.phase() == Phase.LINGERING;
        this.carriedOver = course.phase() == Phase.CARRIED_OVER;
        this.dueAt = lingering ? clearAt() : expiry;
    }

    TableEntry.Leased entry() {
        Phase phase =
                lingering ? Phase.LINGERING : carriedOver ? Phase.CARRIED_OVER : Phase.RUNNING;
        return new TableEntry.Leased(
                grant(),
                askedTtl == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(askedTtl)),
                Duration.ofNanos(lockDelay()),
                record(),
                new TableEntry.Course(grantedAt, expiry, version, rotatedFrom, phase));
    }

    /**
     * Lets it run again in full after a restart, if it was granted or renewed since the one before:
     * then there may have been renewals that nothing tells of. Those never asked for a longer ttl
     * than is known, so that this covers them.
     */
    void resume(long now) {
        if (!lingering && !carriedOver) {
            carriedOver = true;
            expiry = Math.max(expiry, now + ttl.toNanos());
            dueAt = expiry;
            version += UNTOLD_RENEWALS;
        }
    }

    /** Whether the request is the one that it was granted to, repeated, as far as that is known. */
    boolean isOf(LeaseRequest request) {
        return claim.equals(request.claim())
                && (askedTtl == 0
                        || (askedTtl == request.terms().ttl().toNanos()
                                && holder.equals(request.holder())));
    }

    boolean isHeld(long now) {
        return now < expiry;
    }

    /** When it stops standing in the way, unless renewed or released. */
    long clearAt() {
        return expiry + lockDelay();
    }

    @Override
    public boolean isOver(long now) {
        return now >= clearAt();
    }

    boolean hasLockDelay() {
        return lockDelay() > 0;
    }

    private long lockDelay() {
        return extras == null ? 0 : extras.lockDelay;
    }

    /**
     * Renews it.
     *
     * @return whether a restart must know of it, to let the lease run for no less than this
     */
    boolean renew(Duration newTtl, long now) {
        boolean news = carriedOver || newTtl.compareTo(ttl) > 0;
        carriedOver = false;
        ttl = newTtl;
        // never shorter: an earlier renewal's deadline is relied upon
        expiry = Math.max(expiry, now + newTtl.toNanos());
        version++;
        return news;
    }

    void rotate(long newToken) {
        rotatedFrom = token;
        token = newToken;
        version++;
    }

    /** Notes that its request came from this sender, be it again. */
    void sentBy(long again) {
        sender = sender == again ? sender : 0;
    }

    /** Whether nobody but this sender can know of it: no other asked for it, and nobody used it. */
    boolean isUnusedBut(long by) {
        return by != 0 && sender == by && version == 1;
    }

    /** What a node of a quorum keeps with it, from now on at the latest. */
    Agreement agreement() {
        if (agreement == null) {
            agreement = Agreement.ofNobody(token);
        }
        return agreement;
    }

    /** Whether it is a lease of a quorum, at the latest by a request in this round. */
    boolean isAgreedOn(Round round) {
        return agreement != null || !round.isNone();
    }

    void ask(Round round) {
        if (isAgreedOn(round)) {
            agreement().ask(round);
        }
    }

    TokenState tokenState() {
        return agreement == null ? TokenState.NONE : agreement.state(rotatedFrom);
    }

    /** The token that was taken as a node of a quorum; 0 if it is only drawn. */
    long agreedToken() {
        return agreement == null || !agreement.isMarked() ? 0 : token;
    }

    /** Takes a token that was proposed in a round; false if the rule does not allow it. */
    boolean take(Round round, long proposed) {
        boolean rotatedSince = round.isFinal() && rotatedFrom >= proposed && token != proposed;
        if (rotatedSince || !agreement().take(round, proposed, token)) {
            return false;
        }
        token = proposed;
        return true;
    }

    /**
     * Gives it a token that is final; not if it has that of a later rotation. The token it was
     * rotated from is only taken back while no token for the rotation was proposed here.
     */
    void restore(long finalToken) {
        Agreement known = agreement();
        boolean rotatedSince = rotatedFrom > finalToken
                || (rotatedFrom == finalToken && known.isMarked())
                || (known.isFinal() && token > finalToken);
        if (!rotatedSince) {
            token = finalToken;
            known.finish();
        }
    }

    boolean wasRotated() {
        return rotatedFrom != 0;
    }

    boolean wasRotatedFrom(long oldToken) {
        return rotatedFrom == oldToken;
    }

    /** Notes that the lease ran out; true the first time. What is left of it is its lock-delay. */
    boolean expire() {
        boolean first = !lingering;
        lingering = true;
        return first;
    }

    /** Brings the due time up to date; false when it was, so that the lease is really due. */
    boolean defer() {
        long due = lingering ? clearAt() : expiry;
        boolean moved = due != dueAt;
        dueAt = due;
        return moved;
    }

    Holder holder() {
        return holder;
    }

    /** For how long it was last granted or renewed. */
    Duration ttl() {
        return ttl;
    }

    long version() {
        return version;
    }

    long grantedAt() {
        return grantedAt;
    }

    Optional<LeaseRecord> record() {
        return extras == null ? Optional.empty() : extras.record;
    }

    Holding holding() {
        return new Holding(claim, holder, new FencingToken(token));
    }

    Grant grant() {
        return new Grant(holding(), id, ttl);
    }

    /**
     * How long it still stands in the way: to the end of its lease, or of the lock-delay behind it.
     */
    Duration remaining(long now) {
        return Duration.ofNanos(Math.max(0, (isHeld(now) ? expiry : clearAt()) - now));
    }

    Validity validity(long arrivedAt, long now) {
        Duration inStore = arrivedAt == now ? Duration.ZERO : Duration.ofNanos(now - arrivedAt);
        long left = expiry - now;
        return new Validity(inStore, left == ttl.toNanos() ? ttl : Duration.ofNanos(left));
    }

    @Override
    public long dueAt() {
        return dueAt;
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public void slot(int slot) {
        this.slot = slot;
    }
}
