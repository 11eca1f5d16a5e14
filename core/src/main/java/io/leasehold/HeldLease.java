// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.internal.TimerHeap;
import io.leasehold.listener.LeaseEnded;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Refused;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of one lease: what was granted, until when it may be relied upon, and what
 * became of it. Every change is made under the {@link Renewer}'s lock; the volatile fields may be
 * read without it.
 */
final class HeldLease implements TimerHeap.Timed {

    enum State {
        HELD,
        LOST,
        CLOSED
    }

    /** No more renewals: {@code holdAtMost} ends before the deadline does. */
    static final long NO_LIMIT = Long.MAX_VALUE;

    final LockOptions options;
    final long heldSince;
    final CompletableFuture<LeaseLostException> lost = new CompletableFuture<>();

    volatile Grant grant;
    volatile Deadline deadline;
    volatile State state = State.HELD;
    volatile String whyOver = "it was not renewed in time";

    /** Still held, but whoever works under it is to end and nobody may begin. */
    volatile boolean ending;

    /** Lost, or closed by another thread, before its body returned. */
    volatile boolean takenAway;

    private volatile @Nullable CompletableFuture<Boolean> handover;

    // guarded by the renewer's lock
    long renewAt;
    private @Nullable Thread body;
    private boolean bodyHasLease;
    private boolean interrupted;
    private LeaseEnded.@Nullable Cause untold; // why it ended, until the listener is told
    private long late; // how long after its plan the last renewal was sent
    private int rotations; // under way

    /** The token from which a rotation of unknown outcome may have led, or may still lead, away. */
    private @Nullable FencingToken unsettled;

    private long dueAt;
    private int slot = TimerHeap.NOWHERE;

    HeldLease(LockOptions options, Grant grant, Deadline deadline, long heldSince) {
        this.options = options;
        this.grant = grant;
        this.heldSince = heldSince;
        this.deadline = limited(deadline);
    }

    /** The deadline cut short by {@code holdAtMost}. */
    Deadline limited(Deadline given) {
        return options.holdAtMost()
                .map(atMost -> given.noLaterThan(heldSince + atMost.toNanos()))
                .orElse(given);
    }

    /** How much longer it may be held at the given time; {@link #NO_LIMIT} if nobody said. */
    long holdableAt(long now) {
        return options.holdAtMost()
                .map(atMost -> heldSince + atMost.toNanos() - now)
                .orElse(NO_LIMIT);
    }

    /** A renewal to send at the given time: for the ttl, or for what it may be held still. */
    RenewalRequest renewalAt(long now, ClockBounds bounds) {
        Duration holdable = Duration.ofNanos(holdableAt(now));
        return RenewalRequest.of(grant, options.ttlFor(holdable, bounds));
    }

    /** Notes that a renewal is sent at the given time. */
    void renewing(long now) {
        late = Math.max(0, now - renewAt);
    }

    /** How long after its plan the last renewal was sent. */
    Duration late() {
        return Duration.ofNanos(late);
    }

    /** Sets the next time to look at this lease: to renew it, but no later than to see it lost. */
    void look(long nextRenewal) {
        renewAt = nextRenewal;
        dueAt = deadline.nanos() - nextRenewal < 0 ? deadline.nanos() : nextRenewal;
    }

    // ---- the body, under the renewer's lock

    /**
     * A thread begins to work under the lease; false if that is lost, given back, or about to be.
     *
     * @param hasLease whether the body has the {@link Lease} in hand, by which it can be told
     */
    boolean beginBody(Thread thread, boolean hasLease) {
        if (state != State.HELD || ending) {
            return false;
        }
        body = thread;
        bodyHasLease = hasLease;
        return true;
    }

    /** Why nobody could begin to work under it. */
    LeaseholdException notBegun() {
        return takenAway
                ? new LeaseLostException(grant.holding(), whyOver + "; the work did not begin")
                : Leasehold.closed();
    }

    /** The body is done; true if it was interrupted for the sake of the lease. */
    boolean endBody() {
        body = null;
        return interrupted;
    }

    boolean hasBody() {
        return body != null;
    }

    boolean isBody(Thread thread) {
        return thread.equals(body);
    }

    /** Whether the body can be told by its lease that it is to end. */
    boolean canBeTold() {
        return body != null && bodyHasLease && !lost.isDone();
    }

    private void interruptBody() {
        if (body != null && options.interruptOnLoss()) {
            interrupted = true;
            body.interrupt();
        }
    }

    // ---- its end, under the renewer's lock

    /** From here on nobody may rely on it; a body that asked for it is interrupted. */
    void end(String why) {
        ending = true;
        whyOver = why;
        if (!isBody(Thread.currentThread())) {
            interruptBody();
        }
    }

    void lose(String why, LeaseEnded.Cause cause) {
        whyOver = why;
        untold = cause;
        state = State.LOST;
        takenAway = true;
        interruptBody();
    }

    /** False if it was closed before. */
    boolean close(LeaseEnded.Cause cause) {
        if (state == State.CLOSED) {
            return false;
        }
        if (state == State.HELD) {
            untold = cause;
        }
        boolean byOther = hasBody() && !isBody(Thread.currentThread());
        if (state == State.HELD && !ending) {
            whyOver = byOther ? "it was closed while its body ran" : "it was closed";
        }
        if (byOther) {
            takenAway = true;
            interruptBody();
        }
        state = State.CLOSED;
        body = null;
        return true;
    }

    /** Its end, for the listener; once, and nothing before it. */
    Optional<LeaseEnded> takeEnd(long now) {
        LeaseEnded.Cause cause = untold;
        untold = null;
        return Optional.ofNullable(cause)
                .map(why ->
                        new LeaseEnded(grant.holding(), why, Duration.ofNanos(now - heldSince)));
    }

    /** Completes when the lease has been given back, as far as the store answers, or is lost. */
    CompletableFuture<Boolean> awaitHandover() {
        CompletableFuture<Boolean> awaited = new CompletableFuture<>();
        handover = awaited;
        return awaited;
    }

    /** Tells whoever waits that the lease was given back or lost. Not under the lock. */
    void handedOver() {
        CompletableFuture<Boolean> awaited = handover;
        if (awaited != null) {
            awaited.complete(true);
        }
    }

    // ---- rotations, under the renewer's lock

    /** While one is under way no renewal is sent: the token may change at any moment. */
    boolean isRotating() {
        return rotations > 0;
    }

    Grant beginRotation() {
        rotations++;
        return grant;
    }

    /** Without a new grant nobody knows which of two tokens the store has. */
    void endRotation(Grant before, Optional<Grant> after) {
        rotations--;
        after.ifPresent(this::adopt);
        if (after.isEmpty() && before.token().equals(grant.token())) {
            unsettled = before.token();
        }
    }

    /** Of two rotations at once, the later one's answer may come first. */
    void adopt(Grant rotated) {
        if (grant.token().isOlderThan(rotated.token())) {
            grant = rotated;
        }
    }

    /** Whether a refusal only says that the token was rotated after the question had been sent. */
    boolean isOutdated(Grant asked, Refused refused) {
        return refused.reason() == RefusalReason.TOKEN_MISMATCH
                && (isRotating() || isUnsettled() || !grant.token().equals(asked.token()));
    }

    /** Whether a rotation of unknown outcome may have changed the token that is known here. */
    boolean isUnsettled() {
        return grant.token().equals(unsettled);
    }

    // ---- the schedule

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
