// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one key in this process, from the first until they all have their answer. On their
 * behalf it asks the store once: either it obtains the lease and does the work, or it waits for
 * whoever has it.
 *
 * <p>Thread-safe. The seats are a stack that callers push themselves onto without a lock. The lock
 * guards the rest; it is never held while the store, the work or a dependent is called.
 */
final class LocalFlight<T> {

    private static final System.Logger LOG = System.getLogger(SingleFlight.class.getName());

    /** Fewer empty seats than this are not worth a walk. */
    private static final int MIN_SWEEP = 64;

    /** How often the work is begun before the callers are told that its lease was lost. */
    private static final int MAX_GENERATIONS = 3;

    private final SingleFlight<T> owner;
    private final Client client;
    private final String key;
    private final Claim claim;
    private final Work<? extends T, ?> work;

    /** The caller whose work it is. */
    final Seat<T> first = new Seat<>(this);

    /** In place of a seat when no more may be taken. */
    private final Seat<T> closed = new Seat<>(this);

    private final AtomicReference<Seat<T>> newest = new AtomicReference<>(first);
    private final AtomicInteger passengers = new AtomicInteger(1);

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private boolean over;
    private int empty; // seats whose callers have left since the last sweep
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
        this.giveUpAt = endOfWait();
    }

    private long endOfWait() {
        return client.time.nanos() + owner.options().waitAtMost().toNanos();
    }

    // ---- callers

    /** Another seat; null if the flight is over. */
    @Nullable
    Seat<T> join() {
        if (passengers.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            return null;
        }
        Seat<T> seat = new Seat<>(this);
        Seat<T> top;
        do {
            top = newest.get();
            if (top == closed) {
                return null;
            }
            seat.before = top;
        } while (!newest.compareAndSet(top, seat));
        return seat;
    }

    boolean isOver() {
        return passengers.get() == 0 || newest.get() == closed;
    }

    /** A caller has gone. After the last one nobody wants the work any more. */
    void leave() {
        if (passengers.decrementAndGet() > 0) {
            sweep();
            return;
        }
        if (end() == null) {
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

    /** Gives up the seats of those who left, once they are more than those who stayed. */
    private void sweep() {
        lock.lock();
        try {
            if (over || ++empty < MIN_SWEEP || empty < passengers.get()) {
                return;
            }
            empty = 0;
            Seat<T> kept = Objects.requireNonNull(newest.get());
            for (Seat<T> seat = kept.before; seat != null; seat = seat.before) {
                if (!seat.isDone()) {
                    kept.before = seat;
                    kept = seat;
                }
            }
            kept.before = null;
        } finally {
            lock.unlock();
        }
    }

    private void land(Executor on, T value, boolean shared, FencingToken token) {
        Flight<T> forOthers = new Flight<>(value, true, token);
        Flight<T> forFirst = shared ? forOthers : new Flight<>(value, false, token);
        settle(on, seat -> seat.land(seat == first ? forFirst : forOthers));
    }

    private void fail(Throwable error) {
        settle(client.callbacks, seat -> seat.fail(error));
    }

    private void settle(Executor on, Consumer<Seat<T>> answer) {
        Seat<T> last = end();
        if (last != null) {
            on.execute(() -> {
                Seat<T> seat = last;
                while (seat != null) {
                    Seat<T> before = seat.before;
                    seat.before = null; // or who keeps one seat would keep them all
                    answer.accept(seat);
                    seat = before;
                }
            });
        }
    }

    /**
     * Ends the flight, and the work if it is still under way. Returns the last seat that was taken;
     * null if the flight had ended.
     */
    private @Nullable Seat<T> end() {
        Seat<T> last;
        lock.lock();
        try {
            if (over) {
                return null;
            }
            over = true;
            last = newest.getAndSet(closed);
            if (present != null) {
                present.worker.interrupt();
            }
        } finally {
            lock.unlock();
        }
        owner.over(key, this); // before anyone is told: who comes then begins anew
        return last;
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
                client.callbacks.execute(() -> found(bid, found.left()));
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
        try {
            Parcel parcel = Parcel.open(left.record(), owner.name(key));
            if (left.record().kind() != LeaseRecord.Kind.FAILURE) {
                land(Runnable::run, parcel.value(owner.codec()), true, left.token());
            } else if (bid.waitAtMost().isZero()) {
                // an error is for those who waited for it: whoever comes after tries again
                ask(new Bid(
                        bid.claim(), bid.options(), Duration.ZERO, bid.record(), Optional.empty()));
            } else {
                fail(parcel.error(owner.name(key), left.token()));
            }
        } catch (RuntimeException e) {
            fail(e);
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
        try {
            client.work(owner.name(key), () -> run(begun));
        } catch (LimitExceededException e) {
            client.release(lease);
            fail(e);
        }
    }

    private void run(Generation mine) {
        if (locked(() -> isPresent(mine))) { // if not, whoever ended it has released the lease
            attempt(mine).run();
        }
    }

    /** Does the work, and says how to go on. */
    private Runnable attempt(Generation mine) {
        mine.worker.begin();
        try {
            T value = Objects.requireNonNull(work.run(mine.token()), "the work returned null");
            return () -> publish(mine, value);
        } catch (Throwable error) {
            WorkFailedException failure =
                    WorkFailedException.here(owner.name(key), mine.token(), error);
            LeaseRecord record = Parcel.ofError(Optional.empty(), error);
            return () -> publish(mine, record, on -> fail(failure));
        } finally {
            mine.worker.end();
        }
    }

    private void publish(Generation mine, T value) {
        LeaseRecord record;
        try {
            record = Parcel.ofValue(Optional.empty(), owner.codec().encode(value));
        } catch (RuntimeException e) {
            client.release(mine.lease);
            String why = e instanceof LimitExceededException
                    ? String.valueOf(e.getMessage())
                    : "the codec failed";
            fail(new NotSharedException(owner.name(key), mine.token(), value, why, e));
            return;
        }
        publish(mine, record, on -> land(on, value, false, mine.token()));
    }

    /** Leaves the record for those who wait elsewhere; then whoever waits here is told. */
    private void publish(Generation mine, LeaseRecord record, Consumer<Executor> tell) {
        if (!locked(() -> isPresent(mine))) {
            return;
        }
        CompletableFuture<Ending> completion = client.complete(mine.lease, record, keepFor(record));
        // answered by now, the callers can be told from here; later, not from the store's thread
        Executor on = completion.isDone() ? Runnable::run : client.callbacks;
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
        boolean first = locked(() -> {
            boolean current = isPresent(mine);
            if (current) {
                mine.worker.interrupt();
                present = null;
                giveUpAt = endOfWait();
            }
            return current;
        });
        if (first && generations < MAX_GENERATIONS) {
            ask(firstBid());
        } else if (first) {
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
