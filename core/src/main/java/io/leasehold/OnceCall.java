// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Refused;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call of an {@link Idempotency}: how it begins, which is with the right to do the work or with
 * what came of it before, and how it ends. Between the two the caller works, on a thread of its own
 * choice. Thread-safe; nothing here waits.
 */
final class OnceCall<T> {

    /** How a call begins. */
    sealed interface Begun {

        /** The work is this caller's, under this lease. */
        record Mine(HeldLease lease) implements Begun {}

        /** The work was done before. */
        record Stored(Acquisition.Completed left) implements Begun {}
    }

    private enum State {
        WAITING,
        WORKING,
        CANCELLED
    }

    private final Leasehold leasehold;
    private final Client client;
    private final Codec<T> codec;
    private final IdempotencyOptions options;
    private final IdempotentCall call;
    private final String name;
    private final Bid bid;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile @Nullable Acquirer asking;
    private volatile boolean threw; // the work

    OnceCall(
            Leasehold leasehold,
            String family,
            Codec<T> codec,
            IdempotencyOptions options,
            IdempotentCall call) {
        this.leasehold = leasehold;
        this.client = leasehold.client();
        this.codec = codec;
        this.options = options;
        this.call = call;
        this.name = family + "/" + call.key();
        LockOptions held = LockOptions.defaults().withTtl(options.ttl());
        this.bid = Bid.of(Claim.exclusive(Scope.name(name)), held, Duration.ZERO)
                .publishing(Parcel.running(Optional.of(call.digest())))
                .unlessCompletedSince(FencingToken.FIRST);
    }

    String name() {
        return name;
    }

    Claim claim() {
        return bid.claim();
    }

    /** Whether the work was done, and threw. */
    boolean workThrew() {
        return threw;
    }

    /** Takes the call back, and what it obtained, unless the work has begun. */
    void cancel() {
        if (state.compareAndSet(State.WAITING, State.CANCELLED)) {
            Acquirer acquirer = asking;
            if (acquirer != null) {
                acquirer.cancel(cancelledCall());
            }
        }
    }

    /**
     * Goes to work on this thread, from when on it can't be cancelled.
     *
     * @throws LeaseholdException if it was taken back before, or its lease is lost or was given back
     */
    void beginWork(HeldLease lease) {
        if (!state.compareAndSet(State.WAITING, State.WORKING)
                || !client.renewer.workBegins(lease)) {
            client.release(lease); // perhaps the store still has it
            throw lease.notBegun();
        }
    }

    private StoreUnavailableException cancelledCall() {
        return new StoreUnavailableException("the call of '" + name + "' was cancelled");
    }

    /**
     * Asks for the work or its outcome. Without waiting at first, to learn whether it runs with
     * another payload: nobody should wait for a conflict.
     */
    CompletableFuture<Begun> begin() {
        Duration wait = call.waitAtMost().orElse(options.waitAtMost());
        return ask(bid).thenCompose(came -> {
            if (came instanceof Acquirer.Result.Busy busy && !wait.isZero()) {
                refuseOtherPayload(busy.held().record());
                return ask(bid.waitingAtMost(wait)).thenApply(this::begun);
            }
            return CompletableFuture.completedFuture(begun(came));
        });
    }

    private CompletableFuture<Acquirer.Result> ask(Bid asked) {
        Acquirer acquirer = leasehold.startAcquire(asked);
        asking = acquirer;
        if (state.get() == State.CANCELLED) {
            acquirer.cancel(cancelledCall());
        }
        return acquirer.result();
    }

    private Begun begun(Acquirer.Result came) {
        if (came instanceof Acquirer.Result.Obtained obtained) {
            return new Begun.Mine(obtained.lease());
        } else if (came instanceof Acquirer.Result.Found found) {
            return new Begun.Stored(found.left());
        }
        Acquisition.Held held = ((Acquirer.Result.Busy) came).held();
        refuseOtherPayload(held.record());
        throw InProgressException.at(held.blocker(), held.remaining());
    }

    private void refuseOtherPayload(Optional<LeaseRecord> published) {
        published.ifPresent(record -> payloadOf(Parcel.openWithDigest(record, name)));
    }

    private Parcel payloadOf(Parcel parcel) {
        if (!parcel.answers(call.digest())) {
            throw new IdempotencyConflictException(call.key());
        }
        return parcel;
    }

    /** What was stored, as this call's outcome, or the failure that was. */
    Outcome<T> outcome(Acquisition.Completed left) {
        Parcel parcel = payloadOf(Parcel.openWithDigest(left.record(), name));
        if (left.record().kind() == LeaseRecord.Kind.FAILURE) {
            throw parcel.error(name, left.token());
        }
        return new Outcome<>(parcel.value(codec), true, left.token());
    }

    /** Stores the value; the result is this call's outcome, or another's that was faster. */
    void done(HeldLease lease, T value, CompletableFuture<Outcome<T>> result) {
        LeaseRecord record;
        try {
            record = Parcel.ofValue(Optional.of(call.digest()), codec.encode(value));
        } catch (Throwable e) {
            client.release(lease);
            String what = e instanceof LimitExceededException
                    ? ForeignCode.messageOf(e)
                    : "the codec failed";
            result.completeExceptionally(
                    notShared(lease, value, what + ". A repeat will run again", e));
            ForeignCode.throwIfFatal(e);
            return;
        }
        client.complete(lease, record, keepFor()).whenComplete((ending, error) -> {
            if (error != null) {
                String why = "the store did not answer; it may have been stored, or not";
                result.completeExceptionally(notShared(lease, value, why, error));
            } else if (ending instanceof Refused refused) {
                winner(lease, refused, result);
            } else {
                result.complete(new Outcome<>(value, false, lease.grant.token()));
            }
        });
    }

    /** Stores the failure if it is one to be remembered, or lets the next one run. */
    CompletableFuture<Ending> failed(HeldLease lease, Throwable failure) {
        threw = true;
        if (!options.remembers(failure)) {
            return client.release(lease);
        }
        LeaseRecord record;
        try {
            record = Parcel.ofError(Optional.of(call.digest()), failure);
        } catch (Throwable e) { // the failure's message may be made by code that is not ours
            CompletableFuture<Ending> ending = client.release(lease);
            ForeignCode.throwIfFatal(e);
            return ending;
        }
        return client.complete(lease, record, keepFor());
    }

    NotSharedException notShared(
            HeldLease lease, T value, @Nullable String why, @Nullable Throwable cause) {
        return new NotSharedException(name, lease.grant.token(), value, String.valueOf(why), cause);
    }

    private Duration keepFor() {
        return call.keepFor().orElse(options.keepFor());
    }

    /** This call's result was refused: whoever took its place may have stored one. */
    private void winner(HeldLease lost, Refused refused, CompletableFuture<Outcome<T>> result) {
        begin().whenComplete((begun, error) -> {
            if (begun instanceof Begun.Stored stored) {
                replay(stored, result);
                return;
            }
            if (begun instanceof Begun.Mine mine) {
                client.release(mine.lease());
            }
            Throwable cause = error == null ? null : Client.unwrapped(error);
            result.completeExceptionally(lost(lost, refused, cause));
        });
    }

    /** Reads what was stored, away from the store's thread: a codec is not ours. */
    void replay(Begun.Stored stored, CompletableFuture<Outcome<T>> result) {
        client.executors.callBack(() -> ForeignCode.run(
                () -> result.complete(outcome(stored.left())), result::completeExceptionally));
    }

    private static LeaseLostException lost(
            HeldLease lease, Refused refused, @Nullable Throwable cause) {
        return new LeaseLostException(
                lease.grant.holding(),
                "the work was done, but its result was refused (" + refused.reason()
                        + ") and no other is stored",
                cause);
    }
}
