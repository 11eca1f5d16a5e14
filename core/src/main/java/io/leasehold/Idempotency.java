// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.WorkFailedException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Calls that may be repeated and have their effect once: the first one with a key runs, stores its
 * result and returns it; every later one with the same key and payload gets that result. Costs
 * nothing until used. Thread-safe.
 *
 * <p><b>What it promises.</b> For each key at most one outcome is stored while it is kept, by a
 * worker that held the lease when it stored it, and every caller that gets an outcome gets that
 * one. A call with another payload under the same key is refused, while the first runs and after.
 *
 * <p><b>What it can't promise.</b> That the work runs only once: a worker may die after its effect
 * and before its result is stored, and another runs then. So effects are at least once, and fenced:
 * write them with the token that the work is given, best in the same transaction as the data (see
 * the guards), and the late one of two workers is refused.
 */
public final class Idempotency<T> {

    private final Leasehold leasehold;
    private final String family;
    private final Codec<T> codec;
    private final IdempotencyOptions options;

    Idempotency(Leasehold leasehold, String family, Codec<T> codec, IdempotencyOptions options) {
        this.leasehold = leasehold;
        this.family = family;
        this.codec = codec;
        this.options = options;
    }

    /** {@link #once(IdempotentCall, Work)} as the options say. */
    public <X extends Exception> Outcome<T> once(
            String key, Digest digest, Work<? extends T, X> work) throws X {
        return once(IdempotentCall.of(key, digest), work);
    }

    /**
     * Does the work on this thread, or returns what came of it before.
     *
     * @throws X what the work threw; the next call runs again, unless the options say that such a
     *     failure is remembered
     * @throws WorkFailedException if it failed before, and that was remembered
     * @throws IdempotencyConflictException if the key was used with another payload
     * @throws InProgressException if it runs elsewhere, still so at the end of the wait
     * @throws LeaseLostException if the work was done but took longer than its lease could be kept,
     *     and nobody else has stored an outcome; or if the lease was lost before the work began,
     *     which the message says
     * @throws NotSharedException if the work was done but its result could not be stored; it holds
     *     the result
     * @throws LockInterruptedException if the thread was interrupted before the work began
     * @throws io.leasehold.model.StoreUnavailableException if the store can't be reached; the work
     *     did not begin
     * @throws io.leasehold.model.OutcomeUnknownException if the store did not answer; the work did
     *     not begin
     */
    public <X extends Exception> Outcome<T> once(IdempotentCall call, Work<? extends T, X> work)
            throws X {
        OnceCall<T> once = new OnceCall<>(leasehold, family, codec, options, call);
        OnceReport report = new OnceReport(leasehold.client(), family, once);
        try {
            Outcome<T> outcome = once(once, work);
            report.returned(outcome);
            return outcome;
        } catch (Throwable e) {
            report.threw(e);
            throw e;
        }
    }

    private <X extends Exception> Outcome<T> once(OnceCall<T> once, Work<? extends T, X> work)
            throws X {
        OnceCall.Begun begun = begin(once);
        if (begun instanceof OnceCall.Begun.Stored stored) {
            return once.outcome(stored.left());
        }
        HeldLease lease = ((OnceCall.Begun.Mine) begun).lease();
        once.beginWork(lease);
        T value;
        try {
            value = ForeignCode.valueOf(work, lease.grant.token());
        } catch (Throwable failure) {
            end(once.failed(lease, failure));
            throw failure;
        }
        return end(once, lease, value);
    }

    /**
     * {@link #once(IdempotentCall, Work)} without a waiting thread: the work runs on one of the
     * {@linkplain LeaseholdOptions#workers workers}. What the work throws fails the future as it
     * is. Cancelling the future takes the call back while it waits, and does not stop work that has
     * begun. Dependents run on one of a few threads for callbacks: be quick.
     */
    public CompletableFuture<Outcome<T>> onceAsync(IdempotentCall call, Work<? extends T, ?> work) {
        OnceCall<T> once = new OnceCall<>(leasehold, family, codec, options, call);
        Client client = leasehold.client();
        CompletableFuture<Outcome<T>> ended = new CompletableFuture<>();
        CompletableFuture<Outcome<T>> result = new CompletableFuture<>();
        client.executors.publish(ended, result);
        OnceReport report = new OnceReport(client, family, once);
        ended.handle((outcome, error) -> {
            report.ended(outcome, error);
            return true;
        });
        once.begin().whenComplete((begun, error) -> {
            if (begun instanceof OnceCall.Begun.Stored stored) {
                once.replay(stored, ended);
            } else if (begun instanceof OnceCall.Begun.Mine mine) {
                HeldLease lease = mine.lease();
                client.work(
                        lease, () -> run(once, lease, work, ended), ended::completeExceptionally);
            } else {
                ended.completeExceptionally(error);
            }
        });
        result.handle((outcome, error) -> {
            once.cancel();
            return true;
        });
        return result;
    }

    private static <T> void run(
            OnceCall<T> once,
            HeldLease lease,
            Work<? extends T, ?> work,
            CompletableFuture<Outcome<T>> result) {
        try {
            once.beginWork(lease);
        } catch (LeaseholdException e) {
            result.completeExceptionally(e);
            return;
        }
        T value;
        try {
            value = ForeignCode.valueOf(work, lease.grant.token());
        } catch (Throwable failure) {
            ForeignCode.run(
                    () -> once.failed(lease, failure)
                            .whenComplete((done, error) -> result.completeExceptionally(failure)),
                    unspeakable -> result.completeExceptionally(failure));
            ForeignCode.throwIfFatal(failure);
            return;
        }
        once.done(lease, value, result);
    }

    private OnceCall.Begun begin(OnceCall<T> once) {
        if (Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(once.claim(), new InterruptedException());
        }
        try {
            return once.begin().get();
        } catch (InterruptedException e) {
            once.cancel();
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(once.claim(), e);
        } catch (ExecutionException e) {
            throw Client.asUnchecked(e);
        }
    }

    private Outcome<T> end(OnceCall<T> once, HeldLease lease, T value) {
        CompletableFuture<Outcome<T>> result = new CompletableFuture<>();
        once.done(lease, value, result);
        try {
            return result.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw once.notShared(lease, value, "interrupted while the store was deciding", e);
        } catch (ExecutionException e) {
            throw Client.asUnchecked(e);
        }
    }

    /** Waits for the store's word on a failure, which changes nothing for the caller. */
    private static void end(CompletableFuture<?> ending) {
        try {
            Object unused = ending.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            System.getLogger(Idempotency.class.getName())
                    .log(System.Logger.Level.DEBUG, "the store has not heard of a failure", e);
        }
    }
}
