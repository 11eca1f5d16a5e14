// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Claim;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.Scope;
import io.leasehold.model.WorkFailedException;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/**
 * Of all who ask for the same key at the same time, in this process and in others, one does the
 * work and all share its value, or its error. Make one per kind of work and keep it: callers are
 * joined locally only through the same object. Thread-safe.
 *
 * <p>The work runs on one of the {@linkplain LeaseholdOptions#workers workers}, under a lease. A
 * caller that stops waiting leaves the others alone; when the last one has left, the work's thread
 * is interrupted and nobody waits for it. If the process at work dies or loses its lease, another
 * one begins anew, with a higher token, and what the first one still brings is refused.
 *
 * <p>It saves work, it does not make effects happen once: for that see {@link Idempotency}.
 */
public final class SingleFlight<T> {

    private final Leasehold leasehold;
    private final Client client;
    private final String family;
    private final Codec<T> codec;
    private final SingleFlightOptions options;

    /** Bounded by the callers that wait and the work that is under way. */
    final ConcurrentHashMap<String, LocalFlight<T>> flights = new ConcurrentHashMap<>();

    SingleFlight(Leasehold leasehold, String family, Codec<T> codec, SingleFlightOptions options) {
        this.leasehold = leasehold;
        this.client = leasehold.client();
        this.family = family;
        this.codec = codec;
        this.options = options;
    }

    /**
     * The work's value, for as long as it takes; it waits for another process as long as the
     * options say.
     *
     * @throws WorkFailedException if the work failed, here or elsewhere
     * @throws InProgressException if another process was at work to the end of the wait
     * @throws NotSharedException if the work was done here but its value could not be shared with
     *     other processes; it holds the value
     * @throws LockInterruptedException if the thread was interrupted
     * @throws LeaseholdException if the store can't be asked
     */
    public Flight<T> get(String key, Work<? extends T, ?> work) {
        return await(key, seat(key, work));
    }

    /**
     * The work's value if it comes within the given time.
     *
     * @throws InProgressException if it does not; the work goes on if others wait for it
     * @throws LeaseholdException as {@link #get(String, Work)}
     */
    public Flight<T> get(String key, Duration wait, Work<? extends T, ?> work) {
        Limits.waiting(wait);
        Seat<T> seat = seat(key, work);
        if (seat.isDone()) {
            return await(key, seat);
        }
        Time.Timer timer = client.time.schedule(
                wait, () -> seat.completeExceptionally(InProgressException.somewhere(name(key))));
        try {
            return await(key, seat);
        } finally {
            timer.cancel();
        }
    }

    /**
     * {@link #get(String, Work)} without a waiting thread. Cancelling the future, or ending it in
     * any other way, is leaving the flight. Dependents run on one of a few threads for callbacks: be
     * quick.
     */
    public CompletableFuture<Flight<T>> getAsync(String key, Work<? extends T, ?> work) {
        Seat<T> seat = seat(key, work);
        seat.mayHaveDependents = true; // nobody can have added one before
        return seat;
    }

    private Seat<T> seat(String key, Work<? extends T, ?> work) {
        LocalFlight<T> flight = flights.get(key);
        Seat<T> seat = flight == null ? null : flight.seats.take();
        while (seat == null) {
            LocalFlight<T> own = new LocalFlight<>(this, key, work);
            LocalFlight<T> chosen = Objects.requireNonNull(flights.compute(
                    key, (same, other) -> other == null || other.seats.areClosed() ? own : other));
            if (chosen == own) {
                own.takeOff();
                return own.seats.first;
            }
            seat = chosen.seats.take();
        }
        return seat;
    }

    /**
     * Drops the value that is kept for a key, and the one that work under way will leave: whoever
     * comes after this call has returned gets a value that was begun after. In another process a
     * caller may still join one whose answer is on its way there.
     *
     * @throws InProgressException if the work is still under way at the end of the wait
     * @throws LeaseholdException if the store can't be asked
     */
    public void forget(String key) {
        flights.remove(key);
        Bid bid = Bid.of(claim(key), held(), options.waitAtMost());
        Acquirer acquirer = leasehold.startAcquire(bid);
        Acquirer.Result came;
        try {
            came = acquirer.result().get();
        } catch (InterruptedException e) {
            LockInterruptedException interrupted = new LockInterruptedException(bid.claim(), e);
            acquirer.cancel(interrupted);
            Thread.currentThread().interrupt();
            throw interrupted;
        } catch (ExecutionException e) {
            throw Client.asLeasehold(e);
        }
        if (came instanceof Acquirer.Result.Busy busy) {
            throw InProgressException.at(busy.held().blocker(), busy.held().remaining());
        }
        HeldLease lease = ((Acquirer.Result.Obtained) came).lease();
        Object unused = client.await(
                () -> client.complete(lease, LeaseRecord.of(new byte[0]), Duration.ZERO));
        flights.remove(key); // who came meanwhile may be about to get the old value
    }

    private Flight<T> await(String key, CompletableFuture<Flight<T>> seat) {
        try {
            return seat.get();
        } catch (InterruptedException e) {
            seat.cancel(false);
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(claim(key), e);
        } catch (ExecutionException e) {
            throw Client.asUnchecked(e);
        }
    }

    // ---- for the flights

    void over(String key, LocalFlight<T> flight) {
        flights.remove(key, flight);
    }

    String family() {
        return family;
    }

    String name(String key) {
        return family + "/" + key;
    }

    Claim claim(String key) {
        return Claim.exclusive(Scope.name(name(key)));
    }

    LockOptions held() {
        return LockOptions.defaults().withTtl(options.ttl());
    }

    Leasehold leasehold() {
        return leasehold;
    }

    Codec<T> codec() {
        return codec;
    }

    SingleFlightOptions options() {
        return options;
    }
}
