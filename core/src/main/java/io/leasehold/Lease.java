// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.guard.Admission;
import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.OperationReport;
import io.leasehold.listener.TokenChecked;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Rotation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held: renewed in the background until closed or lost. Send {@link #token()} along
 * with every write to a resource that has a guard; no check on this side can replace that, because
 * a thread may be paused right behind it.
 *
 * <p>Thread-safe. Whoever has the handle has the lease; threads don't matter.
 */
public final class Lease implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Lease.class.getName());
    private static final Duration ROTATION_PAUSE = Duration.ofMillis(50);

    private final Client client;
    private final HeldLease held;

    Lease(Client client, HeldLease held) {
        this.client = client;
        this.held = held;
    }

    /** The fencing number to write with. Changes only by {@link #rotate}. */
    public FencingToken token() {
        return held.grant.token();
    }

    /** What is held; the first of them if there are several. */
    public Scope scope() {
        return scopes().get(0);
    }

    /** All that is held. */
    public List<Scope> scopes() {
        return held.grant.holding().claim().scopes();
    }

    /**
     * What to show to a guard before writing the target, which may be a part of what is held.
     *
     * @throws io.leasehold.model.ScopeMismatchException if this lease does not cover it
     */
    public Admission admission(Scope target) {
        return Admission.of(held.grant.holding(), target);
    }

    /** The label under which others see it. */
    public Holder holder() {
        return held.grant.holding().holder();
    }

    /**
     * Whether the lease may be relied upon: not closed, not lost, and before its own deadline,
     * which comes before the store's. Asks nobody. True now is no promise for the next line.
     */
    public boolean isValid() {
        return client.renewer.isValid(held);
    }

    /** How long the lease is valid without another renewal; zero when it is not. */
    public Duration remaining() {
        return isValid()
                ? Duration.ofNanos(Math.max(0, held.deadline.leftAt(client.time.nanos())))
                : Duration.ZERO;
    }

    /**
     * Does nothing while the lease is valid.
     *
     * @throws LeaseLostException if it is not
     */
    public void ensureValid() {
        if (!isValid()) {
            throw over(null);
        }
    }

    /**
     * Asks the store whether it knows this lease under its current token.
     *
     * @throws StoreUnavailableException if the store can't be asked
     * @throws OutcomeUnknownException if it does not answer
     */
    public boolean validate() {
        FencingToken token = token();
        if (!client.listener.isPresent()) {
            return isKnown(token);
        }
        OperationReport report = OperationReport.begin(
                client.options.listener(),
                new FencedOperation(scope(), FencedOperation.Kind.VALIDATE, token));
        TokenChecked.Outcome outcome = TokenChecked.Outcome.FAILED;
        try {
            boolean known = isKnown(token);
            outcome = known ? TokenChecked.Outcome.VALID : TokenChecked.Outcome.STALE;
            return known;
        } finally {
            report.end(outcome);
        }
    }

    private boolean isKnown(FencingToken token) {
        return isValid()
                && client.await(() -> client.store.list(startingAt(token))).leases().stream()
                        .anyMatch(view -> view.state() == LeaseView.State.HELD
                                && view.holding().token().equals(token))
                && isValid();
    }

    /**
     * A page that begins with the given token: of a scope that many share, it may be on any page.
     */
    private LeaseQuery startingAt(FencingToken token) {
        LeaseQuery query = LeaseQuery.overlapping(scope());
        return token.value() == 1 ? query : query.after(new FencingToken(token.value() - 1));
    }

    /**
     * Renews now, not waiting for the schedule. While a rotation is under way it waits for the new
     * token and renews under that.
     *
     * @throws LeaseLostException if the store refused, or the lease is over by the time it answers
     * @throws StoreUnavailableException if the store can't be asked; the lease stands as before
     * @throws OutcomeUnknownException if it does not answer, or the thread was interrupted; the
     *     lease stands at least as before
     */
    public void renew() {
        ensureValid();
        Renewal renewal = client.await(() -> client.renewer.renewNow(held));
        ensureValid();
        while (renewal instanceof Refused) { // still valid: only the token has changed meanwhile
            pause();
            ensureValid();
            renewal = client.await(() -> client.renewer.renewNow(held));
            ensureValid();
        }
    }

    private void pause() {
        client.pause(ROTATION_PAUSE);
        if (Thread.currentThread().isInterrupted()) {
            throw new OutcomeUnknownException("interrupted while the token was being rotated");
        }
    }

    /**
     * Draws a new, higher token for this lease and returns it: writes of one's own that are still
     * under way with the old one will be refused wherever the new one was seen first. Repeated
     * until the store answers or the lease is lost.
     *
     * @throws LeaseLostException if the lease is over
     * @throws OutcomeUnknownException if the thread was interrupted while the store was silent. The
     *     lease stands and is renewed; if the store has drawn a token, {@link #token()} changes to
     *     it at the next renewal. Rotate again to know at once
     */
    public FencingToken rotate() {
        Grant before = client.renewer.beginRotation(held);
        Optional<Grant> after = Optional.empty();
        try {
            while (after.isEmpty()) {
                ensureValid();
                after = tryToRotate(before);
            }
        } finally {
            client.renewer.endRotation(held, before, after);
        }
        ensureValid();
        return after.get().token();
    }

    /** The new grant; nothing if the store did not answer and should be asked again. */
    private Optional<Grant> tryToRotate(Grant before) {
        try {
            Rotation rotation = client.await(shareOfRemaining(), () -> client.store.rotate(before));
            if (rotation instanceof Refused refused) {
                if (before.token().isOlderThan(token())) {
                    return Optional.of(held.grant); // another thread has rotated further meanwhile
                }
                client.renewer.refused(held, "rotate", refused.reason());
                throw over(null);
            }
            return Optional.of(((Rotation.Rotated) rotation).grant());
        } catch (StoreUnavailableException | OutcomeUnknownException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            client.pause(ROTATION_PAUSE);
            return Optional.empty();
        }
    }

    /**
     * Renewals rest while the token changes: there must be time to ask again after a lost answer.
     */
    private Duration shareOfRemaining() {
        Duration share = remaining().dividedBy(4);
        Duration patience = client.options.patience();
        return share.compareTo(patience) < 0 ? share : patience;
    }

    /**
     * Calls back once if the lease is lost: no later than its deadline, at once if it is lost
     * already, never after {@link #close}. A body of {@code use} or {@code with} is told in the same
     * way that its {@code Leasehold} is being closed; it still holds the lease then, until it
     * returns. Runs on one of a few threads for losses: be quick.
     */
    public void onLost(Consumer<? super LeaseLostException> listener) {
        held.lost.thenAccept(
                loss -> client.executors.tellLoss(() -> ForeignCode.tell(listener, loss)));
    }

    /**
     * Gives the lease back. Waits a little for the store's word, so that whoever comes next need
     * not; if none comes, the store is told again in the background, and in the end the lease
     * expires. Idempotent, never throws.
     */
    @Override
    public void close() {
        boolean wait = held.state == HeldLease.State.HELD;
        CompletableFuture<Ending> ending = client.releaseWaiting(held);
        if (wait) {
            await(ending);
        }
        client.tellEnd(held, client.listener::now);
    }

    private void await(CompletableFuture<Ending> ending) {
        try {
            ending.get();
        } catch (ExecutionException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> "release failed, will be tried again; " + this,
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The public facts; never the secret. */
    @Override
    public String toString() {
        return held.grant.holding().toString();
    }

    /**
     * Unlike {@link #ensureValid}, content with a lease that its own body closed, and with one that
     * was held to the end although the body was told to end.
     */
    void ensureNotTakenAway() {
        if (!isValid() && held.takenAway) {
            throw over(null);
        }
    }

    HeldLease held() {
        return held;
    }

    LeaseLostException over(@Nullable Throwable cause) {
        return new LeaseLostException(held.grant.holding(), held.whyOver, cause);
    }
}
