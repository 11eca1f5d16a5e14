// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;

import java.time.Duration;
import java.util.Optional;

/**
 * A request for a lease. Made complete by {@link #of} and varied by the {@code with…} methods.
 *
 * <p>Whoever sends requests for others, as a server does, numbers them, so that it can take one back
 * that its caller left, and nothing that somebody else relies on: see {@link
 * LeaseStore#withdrawUnlessUsed}.
 *
 * @param id the secret that will prove ownership; a repeat with the same id is the same request, see
 *     {@link #isRepeatOf}, and anything else with this id is refused
 * @param claim the scopes and the mode
 * @param holder the label shown to others
 * @param terms for how long, and how to wait
 * @param sender a random number of whoever sends this for others, from 1 to 2<sup>53</sup>-1: the same
 *     for all repeats for which it answers together, and another after that; 0 for a client's own
 */
public record LeaseRequest(LeaseId id, Claim claim, Holder holder, Terms terms, long sender) {

    /** The highest number of a sender, which every engine can keep. */
    public static final long MAX_SENDER = (1L << 53) - 1;

    public LeaseRequest {
        if (sender < 0 || sender > MAX_SENDER) {
            throw new IllegalArgumentException("sender is outside 0 to " + MAX_SENDER);
        }
    }

    /** A client's own request. */
    public LeaseRequest(LeaseId id, Claim claim, Holder holder, Terms terms) {
        this(id, claim, holder, terms, 0);
    }

    /**
     * The conditions of a lease.
     *
     * @param ttl how long the lease lives without renewal, 100 ms to 24 h
     * @param waitAtMost how long to queue for it, 0 (answer at once) to 10 min
     * @param lockDelay for how long nobody is granted an overlapping scope after this lease
     *     <em>expired</em> (not after its release), for resources that can't check tokens; 0 to 60
     *     s
     * @param record what others may read at the scopes while the lease lives
     * @param unlessCompletedSince answer {@link Acquisition.Completed} where a record is kept at
     *     one of the scopes that a holder with this token or a newer one left
     */
    public record Terms(
            Duration ttl,
            Duration waitAtMost,
            Duration lockDelay,
            Optional<LeaseRecord> record,
            Optional<FencingToken> unlessCompletedSince) {

        public Terms {
            Limits.ttl(ttl);
            Limits.waiting(waitAtMost);
            Limits.lockDelay(lockDelay);
        }
    }

    /** A request that is answered at once, without lock-delay or record. */
    public static LeaseRequest of(LeaseId id, Claim claim, Holder holder, Duration ttl) {
        return new LeaseRequest(
                id,
                claim,
                holder,
                new Terms(ttl, Duration.ZERO, Duration.ZERO, Optional.empty(), Optional.empty()));
    }

    /**
     * Whether both may be the same request, the other one repeated: the id, the claim, the holder and
     * the ttl are equal. A repeat may wait for another time and have another sender; the rest of its
     * terms does not count, what the first one said holds.
     */
    public boolean isRepeatOf(LeaseRequest other) {
        return id.equals(other.id)
                && claim.equals(other.claim)
                && holder.equals(other.holder)
                && terms.ttl.equals(other.terms.ttl);
    }

    /** The same request, queueing for at most the given time. */
    public LeaseRequest waitingAtMost(Duration waitAtMost) {
        return with(new Terms(
                terms.ttl, waitAtMost, terms.lockDelay, terms.record, terms.unlessCompletedSince));
    }

    /** The same request with a lock-delay. */
    public LeaseRequest withLockDelay(Duration lockDelay) {
        return with(new Terms(
                terms.ttl, terms.waitAtMost, lockDelay, terms.record, terms.unlessCompletedSince));
    }

    /** The same request, publishing a record while the lease lives. */
    public LeaseRequest withRecord(LeaseRecord record) {
        return with(new Terms(
                terms.ttl,
                terms.waitAtMost,
                terms.lockDelay,
                Optional.of(record),
                terms.unlessCompletedSince));
    }

    /** The same request, content with any record of a completed holder instead of a lease. */
    public LeaseRequest unlessCompleted() {
        return unlessCompletedSince(FencingToken.FIRST);
    }

    /**
     * The same request, content with the record of a completed holder instead of a lease, if it was
     * the one with this token or a later one.
     */
    public LeaseRequest unlessCompletedSince(FencingToken token) {
        return with(new Terms(
                terms.ttl, terms.waitAtMost, terms.lockDelay, terms.record, Optional.of(token)));
    }

    /** The same request, sent for somebody else under this number. */
    public LeaseRequest sentBy(long number) {
        return new LeaseRequest(id, claim, holder, terms, number);
    }

    private LeaseRequest with(Terms changed) {
        return new LeaseRequest(id, claim, holder, changed, sender);
    }
}
