// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lease id that callers of this server want, with each of their calls whose answer has not reached
 * anybody. Once all of them are lost, and stay so for a grace, the request is withdrawn from the store
 * under the number with which it was sent. A withdrawal that fails is repeated until it is answered.
 *
 * <p><b>Why this takes no grant from a caller that was told of it.</b> The store takes back only what
 * no other sender asked for. So the number must belong to calls that are lost: it is retired, for
 * good, before the store is asked to take the request back and as soon as a caller is told of the
 * lease. No call joins a retired number. A repeat is sent under another one, and the store refuses
 * every withdrawal under the old one, however late it arrives.
 *
 * <p>Its monitor guards all that changes; no store and no caller is called under it.
 */
final class AcquireCalls {

    /**
     * Calls that wait for the store; of more, the oldest is answered. Less by one than the engines
     * take, so that callers are told here, in words for them.
     */
    static final int MOST_WAITING = 15;

    /**
     * What it needs.
     *
     * @param time the clock
     * @param grace how long it is kept for callers that are lost
     * @param place the memory that it takes
     * @param emptied is told, outside the monitor, when there may be no calls left
     */
    record Surroundings(
            Time time, Duration grace, AcquireRoom.Place place, Consumer<AcquireCalls> emptied) {}

    /** A caller's call. All but the answer belongs to the one that it joined. */
    static final class Call {
        final CompletableFuture<Acquisition> answer = new CompletableFuture<>();
        private boolean lost;
        private boolean asked; // the store
        private boolean answered; // by the store
        private boolean mayHold = true; // the store may hold something for it
        private boolean turnedAway; // the answer of the store is no longer passed on
        private @Nullable Acquisition acquisition;
    }

    private final RepeatedWithdrawal withdrawal;
    private final LeaseRequest request;
    private final Surroundings surroundings;
    private final List<Call> calls = new ArrayList<>(1);
    private boolean retired; // takes no more calls, see above
    private boolean withdrawing;
    private boolean absent; // the store had nothing to withdraw, but calls are on their way to it
    private boolean closed;
    private Time.@Nullable Timer timer;

    AcquireCalls(LeaseStore store, LeaseRequest request, Surroundings surroundings) {
        this.withdrawal =
                new RepeatedWithdrawal(surroundings.time, () -> store.withdrawUnlessUsed(request));
        this.request = request;
        this.surroundings = surroundings;
    }

    /** The number under which all its calls are sent. */
    long sender() {
        return request.sender();
    }

    AcquireRoom.Place place() {
        return surroundings.place();
    }

    synchronized int calls() {
        return calls.size();
    }

    synchronized boolean isEmpty() {
        return calls.isEmpty() && !withdrawing;
    }

    // ---- calls

    /** Adds a call, unless a lease was told or is being taken back: then it needs another sender. */
    synchronized boolean join(Call call) {
        if (retired) {
            return false;
        }
        calls.add(call);
        review();
        return true;
    }

    /** The store was asked for a call. */
    void asked(Call call) {
        List<Call> waiting;
        synchronized (this) {
            call.asked = true;
            waiting = calls.stream().filter(other -> !other.answered).toList();
        }
        waiting.stream() // the client believes the latest
                .limit(Math.max(0, waiting.size() - MOST_WAITING))
                .filter(oldest -> !oldest.answer.isDone())
                .forEach(oldest -> oldest.answer.completeExceptionally(
                        Failures.unknown("a repeat of the request took its place")));
    }

    /** The store's answer. */
    void answered(Call call, @Nullable Acquisition acquisition, @Nullable Throwable failure) {
        boolean kept;
        synchronized (this) {
            call.answered = true;
            call.acquisition = acquisition;
            call.mayHold = acquisition instanceof Acquisition.Granted
                    || (acquisition == null && mayHaveHappened(failure));
            absent = false;
            kept = call.turnedAway;
            settle(call);
        }
        surroundings.emptied.accept(this);
        if (kept) {
            return; // the withdrawal decides what is told
        } else if (acquisition != null) {
            call.answer.complete(acquisition);
        } else if (failure != null) {
            call.answer.completeExceptionally(failure);
        }
    }

    static boolean mayHaveHappened(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return !(cause instanceof StoreUnavailableException
                || cause instanceof LimitExceededException
                || cause instanceof RequestRefusedException);
    }

    /** The caller can't be told any more. */
    void lost(Call call) {
        synchronized (this) {
            call.lost = true;
            settle(call);
        }
        surroundings.emptied.accept(this);
    }

    /** The caller was told. If that was the lease, nothing of this is taken back any more. */
    void told(Call call) {
        synchronized (this) {
            calls.remove(call);
            if (call.acquisition instanceof Acquisition.Granted && !call.turnedAway) {
                calls.clear();
                retired = true;
            }
            review();
        }
        surroundings.emptied.accept(this);
    }

    private void settle(Call call) {
        if (isOver(call)
                && (!call.mayHold
                        || calls.stream().anyMatch(other -> other != call && isOver(other)))) {
            calls.remove(call); // one that is over is enough to know that something may be held
        }
        review();
    }

    private static boolean isOver(Call call) {
        return call.lost && call.answered;
    }

    // ---- taking back

    private boolean isLost() {
        return !calls.isEmpty() && calls.stream().allMatch(call -> call.lost);
    }

    /** Sets the timer if all are lost, and stops it if not. */
    private void review() {
        if (!isLost() || closed) {
            cancelTimer();
        } else if (timer == null && !withdrawing && !absent) {
            timer = surroundings.time.schedule(surroundings.grace, this::withdrawIfLost);
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void withdrawIfLost() {
        synchronized (this) {
            timer = null;
            if (!isLost() || withdrawing || closed) {
                return;
            }
            withdrawing = true;
            retired = true;
        }
        withdrawn(withdrawal.attempt(), this::afterWithdrawal);
    }

    private interface Outcome {
        void of(@Nullable Ending ending);
    }

    private static void withdrawn(CompletionStage<Ending> withdrawal, Outcome outcome) {
        CompletionStage<?> unused =
                withdrawal.whenComplete((ending, failure) -> outcome.of(ending));
    }

    private void afterWithdrawal(@Nullable Ending ending) {
        synchronized (this) {
            withdrawing = false;
            if (ending == null) {
                if (isLost() && !closed) {
                    timer = surroundings.time.schedule(withdrawal.pause(), this::withdrawIfLost);
                }
            } else {
                absent = isNotFound(ending);
                calls.removeIf(call -> call.lost && (call.answered || !absent));
                review();
            }
        }
        surroundings.emptied.accept(this);
    }

    private static boolean isNotFound(Ending ending) {
        return ending instanceof Refused refused && refused.reason() == RefusalReason.NOT_FOUND;
    }

    // ---- the end

    /**
     * Withdraws a request that waits, and tells those who still listen: that it did not happen if it
     * was withdrawn, else what the store says, or that it is unknown. If one of the callers is being
     * told of the lease, nothing is withdrawn, and the store has the answer for the others, too. While
     * the store is being asked for one of them, nothing is done: the withdrawal could overtake it. It
     * is called again after that.
     */
    void turnAway() {
        List<Call> waiting = new ArrayList<>();
        synchronized (this) {
            if (request.terms().waitAtMost().isZero() || isBeingTold() || isBeingAsked()) {
                return;
            }
            for (Call call : calls) {
                if (!call.answered && !call.turnedAway) {
                    call.turnedAway = true;
                    waiting.add(call);
                    retired = true;
                }
            }
        }
        if (!waiting.isEmpty()) {
            withdrawn(withdrawal.attempt(), ending -> waiting.forEach(call -> tell(call, ending)));
        }
    }

    private boolean isBeingTold() {
        return calls.stream()
                .anyMatch(call -> !call.lost && call.acquisition instanceof Acquisition.Granted);
    }

    private boolean isBeingAsked() {
        return calls.stream().anyMatch(call -> !call.asked);
    }

    private void tell(Call call, @Nullable Ending ending) {
        Acquisition acquisition;
        synchronized (this) {
            acquisition = call.acquisition;
            call.turnedAway = !(ending instanceof Refused);
        }
        if (ending instanceof Ending.Ended) {
            call.answer.completeExceptionally(Stopping.refusal());
        } else if (acquisition != null
                && (ending != null || !(acquisition instanceof Acquisition.Granted))) {
            call.answer.complete(acquisition);
        } else { // a withdrawal without an answer may still take back what was granted
            call.answer.completeExceptionally(Stopping.unknown());
        }
    }

    synchronized void close() {
        closed = true;
        review();
    }
}
