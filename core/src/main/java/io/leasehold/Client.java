// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.LeaseEnded;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Time;
import io.leasehold.spi.Validity;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What the parts of one {@link Leasehold} share. Thread-safe. */
final class Client {

    private static final int ENDING_TRIES = 3;
    private static final long SHORTEST_PAUSE_NANOS = 20_000_000;

    final LeaseStore store;
    // for a thread that waits for the answer
    final LeaseStore waitedFor;
    final LeaseholdOptions options;
    final Time time;
    final UserExecutors executors;
    final ListenerCalls listener;
    final RandomGenerator random;
    final LeaseIds leaseIds;
    final Renewer renewer;
    final Endings endings = new Endings();
    private final LeaseEvents.Subscription storeChanges;

    Client(
            LeaseStore store,
            LeaseholdOptions options,
            Environment environment,
            UserExecutors executors,
            ListenerCalls listener) {
        this.store = store;
        this.waitedFor = store.forWaitingCallers();
        this.options = options;
        this.time = environment.time();
        this.executors = executors;
        this.listener = listener;
        this.random = environment.random();
        this.leaseIds = new LeaseIds(random);
        this.renewer = new Renewer(this);
        this.storeChanges = store.onStoreChange(now -> renewer.loseAll(
                "the store that granted it is gone, store " + now + " answers in its place"));
    }

    /** Lets go of the store, and closes it unless it is somebody else's. */
    void leaveStore() {
        ForeignCode.close(storeChanges);
        if (options.closeStore()) {
            ForeignCode.close(store);
        }
    }

    Deadline deadline(Deadline.Sent sent, Validity validity) {
        return Deadline.of(sent, validity, options.clockBounds());
    }

    /**
     * Ends the lease and tells the store, repeatedly if need be; completes with the first attempt.
     */
    CompletableFuture<Ending> release(HeldLease lease) {
        CompletableFuture<Ending> ending = release(lease, store);
        tellEnd(lease, listener::later);
        return ending;
    }

    /**
     * The same for a thread of the user's that waits for the first attempt, and tells the listener
     * then.
     */
    CompletableFuture<Ending> releaseWaiting(HeldLease lease) {
        return release(lease, waitedFor);
    }

    private CompletableFuture<Ending> release(HeldLease lease, LeaseStore first) {
        return endings.begin(() -> {
            if (!renewer.close(lease, LeaseEnded.Cause.RELEASED)) {
                return CompletableFuture.completedFuture(new Ending.Ended());
            }
            Grant grant = lease.grant;
            return handedOver(
                    lease,
                    insist(() -> release(grant, first), () -> release(grant, store), ENDING_TRIES));
        });
    }

    /** Tells the listener that the lease is over, unless it was told. */
    void tellEnd(HeldLease lease, Consumer<Consumer<LeaseholdListener>> way) {
        if (listener.isPresent()) {
            renewer.takeEnd(lease).ifPresent(end -> way.accept(told -> told.onLeaseEnd(end)));
        }
    }

    /** Tells whoever closes when the store has answered. */
    private static CompletableFuture<Ending> handedOver(
            HeldLease lease, CompletableFuture<Ending> ending) {
        if (lease.ending) {
            ending.whenComplete((done, error) -> lease.handedOver());
        }
        return ending;
    }

    private CompletionStage<Ending> release(Grant grant, LeaseStore through) {
        return through.release(grant).thenCompose(ending -> end(grant, ending));
    }

    /** Nobody heard of the token that a rotation drew last: then the lease ends by its id alone. */
    private CompletionStage<Ending> end(Grant grant, Ending ending) {
        return ending instanceof Refused refused && refused.reason() == RefusalReason.TOKEN_MISMATCH
                ? store.withdraw(LeaseRequest.of(
                        grant.id(), grant.holding().claim(), grant.holding().holder(), grant.ttl()))
                : CompletableFuture.completedFuture(ending);
    }

    /**
     * Ends the lease and leaves a record. Repeated until the store answers or the lease's deadline
     * has passed; then it completes exceptionally, with an {@link OutcomeUnknownException} unless
     * no attempt can have arrived.
     */
    CompletableFuture<Ending> complete(HeldLease lease, LeaseRecord record, Duration keepFor) {
        return endings.begin(() -> {
            renewer.close(lease, LeaseEnded.Cause.COMPLETED);
            tellEnd(lease, listener::later);
            CompletableFuture<Ending> result = new CompletableFuture<>();
            attempt(
                    () -> store.complete(lease.grant, record, keepFor),
                    lease.deadline,
                    false,
                    result);
            return handedOver(lease, result);
        });
    }

    private void attempt(
            Supplier<CompletionStage<Ending>> completion,
            Deadline until,
            boolean mayHaveArrived,
            CompletableFuture<Ending> result) {
        long left = until.leftAt(time.nanos());
        long half = Math.max(SHORTEST_PAUSE_NANOS, left / 2);
        // too late to try twice: then the one answer may take as long as any
        Duration patience = left <= 0
                ? options.patience()
                : Duration.ofNanos(Math.min(options.patience().toNanos(), half));
        ask(patience, completion).whenComplete((ending, error) -> {
            if (error == null) {
                result.complete(ending);
                return;
            }
            LeaseholdException failure = asLeasehold(error);
            boolean unknown = mayHaveArrived || failure instanceof OutcomeUnknownException;
            if (!isTemporary(failure) || until.hasPassed(time)) {
                result.completeExceptionally(
                        unknown
                                ? new OutcomeUnknownException("no answer in time", failure)
                                : failure);
            } else {
                time.schedule(
                        Duration.ofNanos(SHORTEST_PAUSE_NANOS),
                        () -> attempt(completion, until, unknown, result));
            }
        });
    }

    /** Whether the same request may well succeed a little later. */
    static boolean isTemporary(LeaseholdException failure) {
        return failure instanceof StoreUnavailableException
                || failure instanceof OutcomeUnknownException;
    }

    /**
     * Has a worker do the task under the lease. If no thread can be had for it, the lease is
     * released and the handler is told why.
     */
    void work(HeldLease lease, Runnable task, Consumer<Throwable> handler) {
        executors.work(task, refused -> {
            release(lease);
            handler.accept(
                    refused instanceof RejectedExecutionException
                            ? new LimitExceededException(
                                    "workers",
                                    OwnThreads.MAX_WORKERS,
                                    "no thread was free for the work of '"
                                            + lease.grant.holding().claim().label() + "'")
                            : refused);
        });
    }

    void withdraw(LeaseRequest request) {
        Supplier<CompletionStage<Ending>> ending = () -> store.withdraw(request);
        endings.begin(() -> insist(ending, ending, ENDING_TRIES));
    }

    private CompletableFuture<Ending> insist(
            Supplier<CompletionStage<Ending>> first,
            Supplier<CompletionStage<Ending>> again,
            int tries) {
        CompletableFuture<Ending> attempt = ask(options.patience(), first);
        attempt.whenComplete((done, error) -> {
            if (error != null && tries > 1) {
                time.schedule(
                        options.patience().dividedBy(4), () -> insist(again, again, tries - 1));
            }
        });
        return attempt;
    }

    /**
     * The store's answer, or an {@link OutcomeUnknownException} when none comes within the given
     * time.
     */
    <T> CompletableFuture<T> ask(Duration patience, Supplier<CompletionStage<T>> question) {
        CompletableFuture<T> bounded = new CompletableFuture<>();
        call(question).whenComplete((answer, error) -> {
            if (error == null) {
                bounded.complete(answer);
            } else {
                bounded.completeExceptionally(asLeasehold(error));
            }
        });
        if (!bounded.isDone()) {
            Time.Timer timer = time.schedule(
                    patience,
                    () -> bounded.completeExceptionally(new OutcomeUnknownException(
                            "the store did not answer within " + patience)));
            bounded.whenComplete((answer, error) -> timer.cancel());
        }
        return bounded;
    }

    /** Calls the store; what it throws, against its contract, fails the stage instead. */
    static <T> CompletionStage<T> call(Supplier<CompletionStage<T>> question) {
        try {
            return question.get();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Waits for the store's answer; an interrupt leaves the outcome unknown. */
    <T> T await(Supplier<CompletionStage<T>> question) {
        return await(options.patience(), question);
    }

    <T> T await(Duration patience, Supplier<CompletionStage<T>> question) {
        try {
            return ask(patience, question).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OutcomeUnknownException("interrupted while the store was deciding", e);
        } catch (ExecutionException e) {
            throw asLeasehold(e);
        }
    }

    /** Waits at most so long, also when interrupted, for what completes by itself. */
    void awaitAtMost(Duration most, CompletableFuture<?> coming) {
        if (coming.isDone() || most.isZero()) {
            return;
        }
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        coming.whenComplete((came, error) -> over.complete(true));
        Time.Timer timer = time.schedule(most, () -> over.complete(true));
        boolean interrupted = false;
        while (!over.isDone()) {
            try {
                over.get();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                throw new AssertionError("it only ever completes", e);
            }
        }
        timer.cancel();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits without asking anything. An interrupt ends it and is kept. */
    void pause(Duration length) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        time.schedule(length, () -> over.complete(true));
        try {
            over.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new AssertionError("a timer can't fail", e);
        }
    }

    /** What an exceptional completion means: the store's own word, or that nobody knows. */
    static LeaseholdException asLeasehold(Throwable error) {
        Throwable cause = unwrapped(error);
        return cause instanceof LeaseholdException known
                ? known
                : new OutcomeUnknownException(
                        "the store failed: " + cause.getClass().getName() + ": "
                                + ForeignCode.messageOf(cause),
                        cause);
    }

    /** What went wrong, to be thrown: not only the store may have failed, also a codec. */
    static RuntimeException asUnchecked(Throwable error) {
        Throwable cause = unwrapped(error);
        return cause instanceof RuntimeException unchecked ? unchecked : asLeasehold(cause);
    }

    /** Without what futures wrap around it. */
    static Throwable unwrapped(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
