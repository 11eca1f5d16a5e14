// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.FlightEnded;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.model.WorkFailedException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Refused;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one key in this process, from the first until they all have their answer. On their
 * behalf it asks the store once: either it obtains the lease and does the work, or it waits for
 * whoever has it.
 *
 * <p>Thread-safe. The lock is never held while the store, the work or a dependent is called.
 */
final class LocalFlight<T> {

    private static final System.Logger LOG = System.getLogger(SingleFlight.class.getName());

    /** How often the work is begun before the callers are told that its lease was lost. */
    private static final int MAX_GENERATIONS = 3;

    private final SingleFlight<T> owner;
    private final Client client;
    private final String key;
    private final Claim claim;
    private final Work<? extends T, ?> work;
    private final long begunAt;

    final Seats<T> seats = new Seats<>(this::abandon);

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private boolean over;
    private int generations;
    private long giveUpAt;
    private @Nullable Acquirer asking;
    private @Nullable Generation present;

    /** One try at the work under one lease. */
    private record Generation(HeldLease lease, Worker worker) {
        FencingToken token() {
            return lease.grant.token();
        }
    }

    LocalFlight(SingleFlight<T> owner, String key, Work<? extends T, ?> work) {
        this.owner = owner;
        this.client = owner.leasehold().client();
        this.key = key;
        this.claim = owner.claim(key);
        this.work = work;
        this.begunAt = client.time.nanos();
        this.giveUpAt = endOfWait();
    }

    private long endOfWait() {
        return client.time.nanos() + owner.options().waitAtMost().toNanos();
    }

    // ---- callers

    /** Everybody has left: nobody wants the work any more. */
    private void abandon() {
        if (end(FlightEnded.Outcome.ABANDONED).isEmpty()) {
            return;
        }
        if (asking != null) { // nothing changes these any more
            asking.cancel(new StoreUnavailableException(
                    "every caller of '" + owner.name(key) + "' has left"));
        }
        if (present != null) {
            client.release(present.lease);
        }
    }

    private void land(Executor on, T value, boolean shared, FencingToken token) {
        Flight<T> forOthers = new Flight<>(value, true, token);
        Flight<T> forFirst = shared ? forOthers : new Flight<>(value, false, token);
        settle(
                shared ? FlightEnded.Outcome.SHARED : FlightEnded.Outcome.LED,
                on,
                seat -> seat.land(seat == seats.first ? forFirst : forOthers));
    }

    private void fail(Throwable error) {
        settle(FlightEnded.Outcome.FAILED, client.executors::callBack, seat -> seat.fail(error));
    }

    /** Answers all callers. Dependents of one caller's future must not keep another waiting. */
    private void settle(FlightEnded.Outcome outcome, Executor on, Consumer<Seat<T>> answer) {
        end(outcome)
                .ifPresent(callers -> on.execute(() -> callers.accept(seat -> {
                    if (seat.mayHaveDependents) {
                        client.executors.callBack(() -> answer.accept(seat));
                    } else {
                        answer.accept(seat);
                    }
                })));
    }

    /**
     * Ends the flight, and the work if it is still under way. Returns what answers the callers;
     * nothing if the flight had ended.
     */
    private Optional<Consumer<Consumer<Seat<T>>>> end(FlightEnded.Outcome outcome) {
        Consumer<Consumer<Seat<T>>> callers;
        lock.lock();
        try {
            if (over) {
                return Optional.empty();
            }
            over = true;
            callers = seats.close();
            if (present != null) {
                present.worker.interrupt();
            }
        } finally {
            lock.unlock();
        }
        owner.over(key, this); // before anyone is told: who comes then begins anew
        Duration took = Duration.ofNanos(client.time.nanos() - begunAt);
        client.listener.later(
                listener -> listener.onFlight(new FlightEnded(owner.family(), outcome, took)));
        return Optional.of(callers);
    }

    // ---- asking the store

    /** Begins; the first caller has its seat. */
    void takeOff() {
        ask(firstBid());
    }

    /** Asks at once, without waiting: for a value that is kept, if any may be. */
    private Bid firstBid() {
        Bid bid = Bid.of(claim, owner.held(), Duration.ZERO)
                .publishing(Parcel.running(Optional.empty()));
        return owner.options().keepFor().isZero()
                ? bid
                : bid.unlessCompletedSince(FencingToken.FIRST);
    }

    private void ask(Bid bid) {
        Acquirer acquirer = owner.leasehold().startAcquire(bid);
        boolean wanted = locked(() -> {
            asking = acquirer;
            return !over;
        });
        if (!wanted) {
            acquirer.cancel(Leasehold.closed());
        }
        acquirer.result().whenComplete((came, error) -> {
            if (error != null) {
                fail(Client.asLeasehold(error));
            } else if (came instanceof Acquirer.Result.Obtained obtained) {
                lead(obtained.lease());
            } else if (came instanceof Acquirer.Result.Busy busy) {
                follow(busy.held());
            } else if (came instanceof Acquirer.Result.Found found) {
                client.executors.callBack(() -> found(bid, found.left()));
            }
        });
    }

    /** Waits for what the present holder, or one that takes its place, will leave. */
    private void follow(Acquisition.Held held) {
        long left = leftToWait();
        if (left <= 0) {
            fail(InProgressException.at(held.blocker(), held.remaining()));
            return;
        }
        Duration wait = Duration.ofNanos(Math.min(left, Limits.MAX_WAIT.toNanos()));
        ask(firstBid().waitingAtMost(wait).unlessCompletedSince(held.blocker().token()));
    }

    private long leftToWait() {
        lock.lock();
        try {
            return giveUpAt - client.time.nanos();
        } finally {
            lock.unlock();
        }
    }

    private void found(Bid bid, Acquisition.Completed left) {
        ForeignCode.run(() -> open(bid, left), this::fail);
    }

    private void open(Bid bid, Acquisition.Completed left) {
        Parcel parcel = Parcel.open(left.record(), owner.name(key));
        if (left.record().kind() != LeaseRecord.Kind.FAILURE) {
            land(Runnable::run, parcel.value(owner.codec()), true, left.token());
        } else if (bid.waitAtMost().isZero()) {
            // an error is for those who waited for it: whoever comes after tries again
            ask(new Bid(bid.claim(), bid.options(), Duration.ZERO, bid.record(), Optional.empty()));
        } else {
            fail(parcel.error(owner.name(key), left.token()));
        }
    }

    // ---- doing the work

    private void lead(HeldLease lease) {
        Generation begun = new Generation(lease, new Worker());
        boolean wanted = locked(() -> {
            present = begun;
            generations++;
            return !over;
        });
        if (!wanted) {
            client.release(lease);
            return;
        }
        lease.lost.thenAccept(loss -> lost(begun, loss));
        client.work(lease, () -> run(begun), this::fail);
    }

    private void run(Generation mine) {
        if (!locked(() -> isPresent(mine))) {
            return; // whoever ended it has released the lease
        }
        if (client.renewer.workBegins(mine.lease)) {
            attempt(mine).run();
        } else if (mine.lease.notBegun() instanceof LeaseLostException loss) {
            lost(mine, loss);
        } else {
            fail(Leasehold.closed());
        }
    }

    /** Does the work, and says how to go on. */
    private Runnable attempt(Generation mine) {
        mine.worker.begin();
        try {
            T value = ForeignCode.valueOf(work, mine.token());
            return () -> publish(mine, value);
        } catch (Throwable error) {
            return () -> {
                publishFailure(mine, error);
                ForeignCode.throwIfFatal(error);
            };
        } finally {
            mine.worker.end();
        }
    }

    private void publish(Generation mine, T value) {
        if (!locked(() -> isPresent(mine))) {
            return; // too late to be anybody's value, or failure
        }
        LeaseRecord record;
        try {
            record = Parcel.ofValue(Optional.empty(), owner.codec().encode(value));
        } catch (Throwable e) {
            client.release(mine.lease);
            String why = e instanceof LimitExceededException
                    ? ForeignCode.messageOf(e)
                    : "the codec failed";
            fail(new NotSharedException(owner.name(key), mine.token(), value, why, e));
            ForeignCode.throwIfFatal(e);
            return;
        }
        publish(mine, record, on -> land(on, value, false, mine.token()));
    }

    private void publishFailure(Generation mine, Throwable error) {
        if (!locked(() -> isPresent(mine))) {
            return;
        }
        WorkFailedException failure;
        LeaseRecord record;
        try {
            failure = WorkFailedException.here(
                    owner.name(key), mine.token(), ForeignCode.messageOf(error), error);
            record = Parcel.ofError(Optional.empty(), error);
        } catch (Throwable e) { // its message may be made by code that is not ours
            client.release(mine.lease);
            fail(error);
            ForeignCode.throwIfFatal(e);
            return;
        }
        publish(mine, record, on -> fail(failure));
    }

    /** Leaves the record for those who wait elsewhere; then whoever waits here is told. */
    private void publish(Generation mine, LeaseRecord record, Consumer<Executor> tell) {
        if (!locked(() -> isPresent(mine))) {
            return;
        }
        CompletableFuture<Ending> completion = client.complete(mine.lease, record, keepFor(record));
        // answered by now, the callers can be told from here; later, not from the store's thread
        Executor on = completion.isDone() ? Runnable::run : client.executors::callBack;
        completion.whenComplete((ending, error) -> {
            if (ending instanceof Refused refused) {
                String why = "the store refused to complete it: " + refused.reason();
                beginAnew(mine, new LeaseLostException(mine.lease.grant.holding(), why));
                return;
            }
            if (error != null) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        () -> "a result may not be shared; " + mine.lease.grant.holding(),
                        error);
            }
            tell.accept(on);
        });
    }

    /** Even if nothing is to be kept, a waiter whose answer got lost must find it again. */
    private Duration keepFor(LeaseRecord record) {
        Duration patience = client.options.patience();
        Duration keepFor = owner.options().keepFor();
        boolean keep = record.kind() == LeaseRecord.Kind.VALUE && keepFor.compareTo(patience) > 0;
        return keep ? keepFor : patience;
    }

    private void lost(Generation mine, LeaseLostException loss) {
        client.release(mine.lease); // perhaps the store still has it
        beginAnew(mine, loss);
    }

    /** What is done under this lease is void: another generation begins, here or elsewhere. */
    private void beginAnew(Generation mine, LeaseLostException loss) {
        boolean current;
        boolean again;
        lock.lock();
        try {
            current = isPresent(mine);
            again = generations < MAX_GENERATIONS;
            if (current) {
                mine.worker.interrupt();
                present = null;
                giveUpAt = endOfWait();
            }
        } finally {
            lock.unlock();
        }
        if (current && again) {
            ask(firstBid());
        } else if (current) {
            fail(loss);
        }
    }

    private boolean isPresent(Generation generation) {
        return !over && generation.equals(present);
    }

    private boolean locked(BooleanSupplier change) {
        lock.lock();
        try {
            return change.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }
}
