// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.LeaseLostException;
import io.leasehold.spi.Grant;
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

    // guarded by the renewer's lock
    long renewAt;
    boolean rotating;

    @Nullable
    Thread body;

    boolean interrupted;
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

    /** Sets the next time to look at this lease: to renew it, but no later than to see it lost. */
    void look(long nextRenewal) {
        renewAt = nextRenewal;
        dueAt = deadline.nanos() - nextRenewal < 0 ? deadline.nanos() : nextRenewal;
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
