// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A lock by lease: whoever acquires it holds it until closed or lost, and has a fencing token
 * higher than everyone before. Not re-entrant and not bound to threads. Costs nothing until
 * acquired; make one wherever it is needed. Thread-safe.
 *
 * <p>Of the forms with a body, {@code with} returns a value and {@code use} does not. A body that
 * returns normally although its lease was lost on the way, or closed by another thread, ends in a
 * {@link LeaseLostException}; an exception of the body's own is passed on.
 *
 * <p>If the {@link Leasehold} is closed while a body runs, the body is told as of a loss: its lease
 * is no longer valid, {@code onLost} is called, its thread is interrupted if the options say so. But
 * nobody else gets the lock before it has returned: the lease is kept, and renewed, as long as the
 * body runs. If it returns normally, so does {@code use}.
 */
public final class FencedLock {

    /** Work under a lease that returns a value. */
    @FunctionalInterface
    public interface Body<T, X extends Exception> {
        T apply(Lease lease) throws X;
    }

    /** Work under a lease. */
    @FunctionalInterface
    public interface Action<X extends Exception> {
        void accept(Lease lease) throws X;
    }

    /** The longest wait for a lock: 30 days. */
    public static final Duration MAX_WAIT = Duration.ofDays(30);

    private final Leasehold leasehold;
    private final Claim claim;
    private final LockOptions options;

    FencedLock(Leasehold leasehold, Claim claim, LockOptions options) {
        this.leasehold = leasehold;
        this.claim = claim;
        this.options = options;
    }

    /**
     * Waits at most the given time for the lock.
     *
     * @throws LockTimeoutException if someone else had it all the while; at once if the calling
     *     thread runs a body under a lease that is in the way, and would wait for itself
     * @throws LockInterruptedException if the thread was interrupted
     * @throws StoreUnavailableException if the store could not be reached in that time
     * @throws io.leasehold.model.OutcomeUnknownException if the store did not answer; what it may
     *     have granted was withdrawn or expires
     * @throws LimitExceededException if the store has no room
     */
    public Lease acquire(Duration wait) {
        if (Thread.currentThread().isInterrupted()) {
            throw new LockInterruptedException(claim, new InterruptedException());
        }
        Bid bid = bid(wait);
        if (!wait.isZero()) {
            refuseReentry();
        }
        if (!leasehold.client().listener.isPresent()) {
            return await(leasehold.startAcquireWaiting(bid));
        }
        AcquireReport report = AcquireReport.begin(leasehold.client(), bid);
        Acquirer acquirer = leasehold.startAcquireWaiting(bid);
        try {
            return await(acquirer);
        } finally {
            report.end(acquirer);
        }
    }

    private Lease await(Acquirer acquirer) {
        try {
            return new Lease(leasehold.client(), lease(acquirer.result().get()));
        } catch (InterruptedException e) {
            LockInterruptedException interrupted = new LockInterruptedException(claim, e);
            acquirer.cancel(interrupted);
            Thread.currentThread().interrupt();
            throw interrupted;
        } catch (ExecutionException e) {
            throw Client.asLeasehold(e);
        }
    }

    private void refuseReentry() {
        HeldLease own = leasehold.bodies.inTheWay(claim);
        if (own != null && leasehold.client().renewer.isValid(own)) {
            Duration left =
                    Duration.ofNanos(own.deadline.leftAt(leasehold.client().time.nanos()));
            throw LockTimeoutException.heldHere(own.grant.holding(), left, claim);
        }
    }

    /** The lock if it is free, without waiting for its holder. */
    public Optional<Lease> tryAcquire() {
        try {
            return Optional.of(acquire(Duration.ZERO));
        } catch (LockTimeoutException e) {
            return Optional.empty();
        }
    }

    /**
     * {@link #acquire} without a waiting thread. Cancelling the future, or ending it in any other
     * way, withdraws the request; a lease that comes too late for it is given back. Dependents run
     * on one of a few threads for callbacks: be quick.
     */
    public CompletableFuture<Lease> acquireAsync(Duration wait) {
        Acquirer acquirer = leasehold.startAcquire(bid(wait));
        CompletableFuture<Lease> future = new CompletableFuture<>();
        acquirer.result()
                .thenApply(this::lease)
                .whenComplete((held, error) -> leasehold.client().executors.callBack(() -> {
                    if (error != null) {
                        future.completeExceptionally(Client.asLeasehold(error));
                    } else if (!future.complete(new Lease(leasehold.client(), held))) {
                        leasehold.client().release(held);
                    }
                }));
        future.whenComplete((lease, error) -> {
            if (error != null || !acquirer.result().isDone()) {
                acquirer.cancel(new StoreUnavailableException(
                        "the acquire of lock '" + claim.label() + "' was cancelled"));
            }
        });
        return future;
    }

    /** Runs the body under the lock and returns its value. Waits as {@link #acquire} does. */
    public <T, X extends Exception> T with(Duration wait, Body<T, X> body) throws X {
        try (Lease lease = acquire(wait)) {
            return run(lease, body);
        }
    }

    /** Runs the body under the lock. Waits as {@link #acquire} does. */
    public <X extends Exception> void use(Duration wait, Action<X> action) throws X {
        Object unused = this.<Object, X>with(wait, asBody(action));
    }

    /** Runs the body if the lock is free, and says whether it ran. */
    public <X extends Exception> boolean tryUse(Action<X> action) throws X {
        Optional<Lease> free = tryAcquire();
        if (free.isEmpty()) {
            return false;
        }
        try (Lease lease = free.get()) {
            Object unused = this.<Object, X>run(lease, asBody(action));
            return true;
        }
    }

    private static <X extends Exception> Body<Object, X> asBody(Action<X> action) {
        return lease -> {
            action.accept(lease);
            return true;
        };
    }

    private Bid bid(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException(
                    "wait " + wait + " is negative: use tryAcquire() not to wait");
        }
        if (wait.compareTo(MAX_WAIT) > 0) {
            throw new LimitExceededException(
                    "wait", MAX_WAIT.toMillis(), "wait " + wait + " is above " + MAX_WAIT);
        }
        return Bid.of(claim, options, wait);
    }

    private HeldLease lease(Acquirer.Result came) {
        if (came instanceof Acquirer.Result.Busy busy) {
            Acquisition.Held held = busy.held();
            if (held.inLockDelay()) {
                throw LockTimeoutException.inLockDelay(held.blocker(), held.remaining(), claim);
            }
            throw leasehold.client().renewer.isOwn(held.blocker())
                    ? LockTimeoutException.heldHere(held.blocker(), held.remaining(), claim)
                    : LockTimeoutException.heldBy(held.blocker(), held.remaining(), claim);
        }
        return ((Acquirer.Result.Obtained) came).lease();
    }

    private <T, X extends Exception> T run(Lease lease, Body<T, X> body) throws X {
        Renewer renewer = leasehold.client().renewer;
        T result;
        if (!renewer.bodyBegins(lease.held())) {
            throw lease.held().notBegun();
        }
        leasehold.bodies.enter(lease.held());
        try {
            result = body.apply(lease);
        } catch (Throwable e) {
            if (renewer.bodyEnds(lease.held())) {
                LeaseLostException loss = interruptedByLoss(lease, e);
                if (e instanceof Error) {
                    e.addSuppressed(loss); // graver than a loss, and not caused by the interrupt
                    throw e;
                }
                throw loss;
            }
            throw e;
        } finally {
            leasehold.bodies.leave();
        }
        if (renewer.bodyEnds(lease.held())) {
            boolean unused = Thread.interrupted(); // the interrupt was ours
        }
        lease.ensureNotTakenAway();
        return result;
    }

    private static LeaseLostException interruptedByLoss(Lease lease, @Nullable Throwable cause) {
        boolean unused = Thread.interrupted(); // the interrupt was ours, and has served
        return lease.over(cause);
    }
}
