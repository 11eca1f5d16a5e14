// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Round;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits, with every attempt at it that still expects an answer.
 *
 * <p>The answer may overtake the store's word that the attempt was queued, which says when it
 * arrived. It is kept until then, because the length of the wait is part of the answer; whoever
 * counts a wait too long would believe in a lease too long.
 */
final class Wait {

    private static final Duration MIN_LOOK = Duration.ofMillis(20);
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final long UNKNOWN = -1;

    /** An answer and when the store gave it. */
    private record Delivery(List<?> answer, long at) {}

    /** One attempt: what for, where its answer goes, until when it waits, when it came to the store. */
    static final class Attempt {
        private final LeaseRequest request;
        private final CompletableFuture<Polled<Acquisition>> result;
        private final @Nullable Round round;
        private final long deadline;
        private long arrivedAt = UNKNOWN;
        private @Nullable Delivery early;

        Attempt(
                LeaseRequest request,
                CompletableFuture<Polled<Acquisition>> result,
                @Nullable Round round,
                long deadline) {
            this.request = request;
            this.result = result;
            this.round = round;
            this.deadline = deadline;
        }
    }

    private final Waits waits;
    private final LeaseId id;
    // guards what follows
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Attempt> attempts = new ArrayList<>(1);
    private Time.@Nullable Timer timer;

    Wait(Waits waits, LeaseId id) {
        this.waits = waits;
        this.id = id;
    }

    Wait join(Attempt attempt) {
        lock.lock();
        try {
            attempts.add(attempt);
        } finally {
            lock.unlock();
        }
        return this;
    }

    boolean isIdle() {
        lock.lock();
        try {
            return attempts.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Sends the request, for the first time or again. */
    void send(
            LeaseRequest asked,
            Attempt attempt,
            Function<Operation, CompletableFuture<List<Object>>> way) {
        try {
            way.apply(Requests.acquire(asked, attempt.round)).whenComplete((answer, error) -> {
                try {
                    sent(attempt, answer, error);
                } catch (RuntimeException | Error e) { // nobody sees it
                    giveUp(attempt, unreadable(e));
                }
            });
        } catch (RuntimeException | Error e) { // what was sent, if anything, is not known
            giveUp(attempt, new OutcomeUnknownException("the request could not be sent", e));
        }
    }

    private void sent(Attempt attempt, List<?> answer, @Nullable Throwable error) {
        if (error != null) {
            giveUp(attempt, error);
        } else if (Answers.letter(answer).equals("Q")) {
            queued(attempt, answer);
        } else {
            remove(attempt);
            settle(attempt, answer, Duration.ZERO);
        }
    }

    private void giveUp(Attempt attempt, Throwable reason) {
        remove(attempt);
        attempt.result.completeExceptionally(reason);
    }

    private static OutcomeUnknownException unreadable(Throwable reason) {
        return new OutcomeUnknownException("Redis answered what can't be read", reason);
    }

    private void queued(Attempt attempt, List<?> answer) {
        Delivery early;
        lock.lock();
        try {
            attempt.arrivedAt = Wire.number(answer.get(1));
            early = attempt.early;
            attempt.early = null;
        } finally {
            lock.unlock();
        }
        // else it was the answer to an earlier attempt
        if (early != null && early.at >= attempt.arrivedAt) {
            deliver(early.answer, early.at);
        } else {
            lookIn(pause(answer));
        }
    }

    /** Takes the answer to all attempts that had arrived by then. */
    void deliver(List<?> answer, long at) {
        String letter = Answers.letter(answer);
        if (letter.equals("T")) {
            tryAgain();
            return;
        } else if (letter.equals("Q")) {
            lookIn(pause(answer));
            return;
        }
        List<Attempt> answered = new ArrayList<>();
        lock.lock();
        try {
            for (Attempt attempt : attempts) {
                if (attempt.arrivedAt == UNKNOWN) {
                    attempt.early = new Delivery(answer, at);
                } else if (attempt.arrivedAt <= at) {
                    answered.add(attempt);
                }
            }
            attempts.removeAll(answered);
            restIfIdle();
        } finally {
            lock.unlock();
        }
        for (Attempt attempt : answered) {
            settle(attempt, answer, Duration.of(at - attempt.arrivedAt, ChronoUnit.MICROS));
        }
    }

    /** Takes what the store knows of the request, whenever that came about. */
    private void found(List<?> answer) {
        if (Answers.letter(answer).equals("T")) {
            tryAgain();
            return;
        }
        List<Attempt> answered;
        lock.lock();
        try {
            answered = attempts.stream()
                    .filter(attempt -> attempt.arrivedAt != UNKNOWN)
                    .toList();
            attempts.removeAll(answered);
            restIfIdle();
        } finally {
            lock.unlock();
        }
        answered.forEach(attempt -> settle(attempt, answer, Duration.ZERO));
    }

    /** The store does not know the request any more: it is sent again for what is left. */
    private void tryAgain() {
        List<Attempt> all;
        lock.lock();
        try {
            all = attempts.stream()
                    .filter(attempt -> attempt.arrivedAt != UNKNOWN)
                    .toList();
            all.forEach(attempt -> attempt.arrivedAt = UNKNOWN);
        } finally {
            lock.unlock();
        }
        for (Attempt attempt : all) {
            long left = Math.max(0, attempt.deadline - now());
            send(attempt.request.waitingAtMost(Duration.ofNanos(left)), attempt, waits::send);
        }
    }

    private void lookIn(Duration pause) {
        lock.lock();
        try {
            if (timer != null) {
                timer.cancel();
            }
            timer = attempts.isEmpty() ? null : waits.time().schedule(pause, this::look);
        } finally {
            lock.unlock();
        }
    }

    void lookSoon() {
        lookIn(RETRY);
    }

    /** Asks what became of the request. */
    void look() {
        if (isIdle()) {
            return;
        }
        waits.send(Operation.of('l', Wire.id(id))).whenComplete((answer, error) -> {
            if (error != null) {
                giveUpOverdue(error);
                lookIn(RETRY);
                return;
            }
            try {
                List<?> found = (List<?>) answer.get(0);
                if (Answers.letter(found).equals("Q")) {
                    lookIn(pause(found));
                } else {
                    found(found);
                }
            } catch (RuntimeException | Error e) { // nobody sees it
                fail(unreadable(e));
            }
        });
    }

    /** Redis can't be asked, and the waits of some have been over for long: nobody waits for ever. */
    private void giveUpOverdue(Throwable reason) {
        long latest = now() - waits.patience().toNanos();
        List<Attempt> overdue;
        lock.lock();
        try {
            overdue = attempts.stream()
                    .filter(attempt -> attempt.deadline - latest <= 0)
                    .toList();
            attempts.removeAll(overdue);
            restIfIdle();
        } finally {
            lock.unlock();
        }
        overdue.forEach(attempt -> attempt.result.completeExceptionally(new OutcomeUnknownException(
                "the wait is over, and Redis can't be asked what became of the request", reason)));
    }

    /**
     * When to ask: when the store says, but no later than at the end of the wait, which only a
     * question brings about.
     */
    private Duration pause(List<?> queued) {
        Duration pause = Wire.micros(queued.get(2));
        long left = 0;
        lock.lock();
        try {
            // a repeat prolongs the wait
            for (Attempt attempt : attempts) {
                left = Math.max(left, attempt.deadline - now());
            }
        } finally {
            lock.unlock();
        }
        Duration untilOver = Duration.ofNanos(left);
        Duration earlier = pause.compareTo(untilOver) < 0 ? pause : untilOver;
        return earlier.isZero() ? MIN_LOOK : earlier;
    }

    void fail(LeaseholdException reason) {
        List<Attempt> all;
        lock.lock();
        try {
            all = List.copyOf(attempts);
            attempts.clear();
            restIfIdle();
        } finally {
            lock.unlock();
        }
        all.forEach(attempt -> attempt.result.completeExceptionally(reason));
    }

    private void remove(Attempt attempt) {
        lock.lock();
        try {
            attempts.remove(attempt);
            restIfIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Looks no more once everybody is answered. Called under the lock. */
    private void restIfIdle() {
        if (attempts.isEmpty() && timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void settle(Attempt attempt, List<?> answer, Duration inStore) {
        try {
            attempt.result.complete(waits.answers().polled(answer, attempt.request, inStore));
        } catch (LeaseholdException e) {
            attempt.result.completeExceptionally(e);
        } catch (RuntimeException | Error e) { // nobody else will answer this attempt
            attempt.result.completeExceptionally(unreadable(e));
        }
    }

    private long now() {
        return waits.time().nanos();
    }
}
