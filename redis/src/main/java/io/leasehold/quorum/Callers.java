// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Validity;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Every attempt of a request's caller that still expects an answer, and how long it waits. Used by
 * one thread at a time.
 */
final class Callers {

    private static final int MAX_ATTEMPTS = 16;

    /** One attempt: when it came and where its answer goes. */
    record Attempt(long arrivedAt, CompletableFuture<Acquisition> reply) {}

    private final Deque<Attempt> attempts = new ArrayDeque<>(1);
    private long deadline;

    Callers(long now) {
        this.deadline = now;
    }

    /** Adds an attempt, the first or a repeat, which may lengthen the wait. */
    void join(Attempt attempt, Duration wait) {
        if (attempts.size() == MAX_ATTEMPTS) {
            attempts.removeLast()
                    .reply
                    .completeExceptionally(
                            new OutcomeUnknownException("a repeat of the request took its place"));
        }
        attempts.addFirst(attempt);
        long end = attempt.arrivedAt + wait.toNanos();
        deadline = end - deadline > 0 ? end : deadline;
    }

    /** How long they still wait. */
    Duration left(long now) {
        return Duration.ofNanos(Math.max(0, deadline - now));
    }

    /** For how long they have waited in vain. */
    Duration overdue(long now) {
        return Duration.ofNanos(Math.max(0, now - deadline));
    }

    void answer(Acquisition answer) {
        each(attempt -> attempt.reply.complete(answer));
    }

    void fail(LeaseholdException reason) {
        each(attempt -> attempt.reply.completeExceptionally(reason));
    }

    /** Tells each of the grant, with the time that it has waited itself. */
    void grant(Grant grant, long version, Duration left, long now) {
        each(attempt -> attempt.reply.complete(new Granted(
                grant, version, new Validity(Duration.ofNanos(now - attempt.arrivedAt), left))));
    }

    private void each(Consumer<Attempt> answer) {
        List<Attempt> answered = List.copyOf(attempts);
        attempts.clear();
        answered.forEach(answer);
    }
}
