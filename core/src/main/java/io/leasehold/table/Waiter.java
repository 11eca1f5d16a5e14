// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Mode;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A request in the queue, with every attempt of its client that still expects an answer. */
final class Waiter implements TimerHeap.Timed {

    private static final int MAX_ATTEMPTS = 16;

    /** One attempt: when it came and where its answer goes. */
    record Attempt(long arrivedAt, Reply reply) {}

    final LeaseRequest request;
    final long sequence;
    final Deque<Attempt> attempts =
            new ArrayDeque<>(1); // the latest first: its answer serves the client best

    @Nullable
    Agreement agreement; // in a node of a quorum

    private long sender; // the only one, or 0
    private long deadline;
    private long dueAt;
    private int slot = TimerHeap.NOWHERE;

    Waiter(LeaseRequest request, long sequence) {
        this.request = request;
        this.sequence = sequence;
        this.sender = request.sender();
    }

    /**
     * Adds an attempt, the first or a repeat; a repeat keeps the place and may lengthen the wait.
     */
    void join(LeaseRequest repeat, long now, Reply reply) {
        if (attempts.size() == MAX_ATTEMPTS) {
            attempts.removeLast()
                    .reply
                    .fail(new OutcomeUnknownException("a repeat of the request took its place"));
        }
        attempts.addFirst(new Attempt(now, reply));
        sender = sender == repeat.sender() ? sender : 0;
        deadline = Math.max(deadline, now + repeat.terms().waitAtMost().toNanos());
    }

    /** Gives every attempt the same answer. */
    void settle(Acquisition outcome) {
        attempts.forEach(attempt -> attempt.reply.settle(outcome));
    }

    void fail(LeaseholdException reason) {
        attempts.forEach(attempt -> attempt.reply.fail(reason));
    }

    /** The only sender of the request; 0 if there were several, or a client itself. */
    long sender() {
        return sender;
    }

    boolean isOver(long now) {
        return deadline <= now;
    }

    /**
     * Sets when to look again: when its blocker ends by itself, but no later than the end of the
     * wait.
     */
    void lookAgainAt(long time) {
        dueAt = Math.min(time, deadline);
    }

    boolean isQueued() {
        return slot != TimerHeap.NOWHERE;
    }

    boolean isExclusive() {
        return request.claim().mode() == Mode.EXCLUSIVE;
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
