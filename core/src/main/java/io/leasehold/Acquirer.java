// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One acquire from its first attempt to its end, which is exactly one of: a lease, a record found
 * instead, busy, failed, withdrawn.
 *
 * <p>A request that brings no answer is repeated with the same lease id, which keeps its place in
 * the queue and can never obtain a second lease. A grant that was over when its answer came is
 * given back, and a new request is made while there is time. Wherever something of the request may
 * be left in the store at the end, it is withdrawn.
 *
 * <p>Thread-safe. Its lock is never held while the store is called or the result completes.
 */
final class Acquirer {

    private static final long FIRST_PAUSE_NANOS = 20_000_000;
    private static final int MAX_DOUBLINGS = 6;

    /** What an acquire came to. */
    sealed interface Result {

        /** The lease is ours, and being renewed. */
        record Obtained(HeldLease lease) implements Result {}

        /** There was a record that the bid is content with. */
        record Found(Acquisition.Completed left) implements Result {}

        /** Somebody was in the way to the end. */
        record Busy(Acquisition.Held held) implements Result {}
    }

    private final Client client;
    private final Bid bid;
    private final long giveUpAt; // when the caller's wait ends
    private final CompletableFuture<Result> result = new CompletableFuture<>();

    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private LeaseRequest request;
    private int attempts;
    private int failures;
    private Time.@Nullable Timer timer;
    private boolean over;
    private boolean withdrawn; // by whoever asked for it
    private @Nullable LeaseId obtained;

    /** One message to the store; its answer is matched to it. */
    private record Attempt(int number, LeaseRequest request, Deadline.Sent sent) {}

    private Acquirer(Client client, Bid bid) {
        this.client = client;
        this.bid = bid;
        this.giveUpAt = client.time.nanos() + bid.waitAtMost().toNanos();
        this.request = newRequest();
    }

    static Acquirer of(Client client, Bid bid) {
        return new Acquirer(client, bid);
    }

    /** Makes the first attempt, unless it was cancelled before. */
    void start() {
        attempt(client.store);
    }

    /** The same, by a thread that is going to wait for the result. */
    void startWaiting() {
        attempt(client.waitedFor);
    }

    /**
     * What it came to, or why it failed. Dependents are short. To take it back use {@link #cancel}.
     */
    CompletableFuture<Result> result() {
        return result;
    }

    /** Withdraws the request; a lease that has come is left alone. */
    void withdraw(LeaseholdException why) {
        lock.lock();
        try {
            withdrawn |= !over;
        } finally {
            lock.unlock();
        }
        fail(why, true);
    }

    boolean wasWithdrawn() {
        lock.lock();
        try {
            return withdrawn;
        } finally {
            lock.unlock();
        }
    }

    /** Withdraws the request, or gives the lease back if it has come. */
    void cancel(LeaseholdException why) {
        withdraw(why);
        result.thenAccept(came -> {
            if (came instanceof Result.Obtained obtained) {
                client.release(obtained.lease());
            }
        });
    }

    private LeaseRequest newRequest() {
        LockOptions options = bid.options();
        Duration ttl = options.ttlFor(
                options.holdAtMost().orElse(LockOptions.MAX_HOLD), client.options.clockBounds());
        LeaseRequest.Terms terms = new LeaseRequest.Terms(
                ttl, Duration.ZERO, options.lockDelay(), bid.record(), bid.since());
        return new LeaseRequest(
                client.leaseIds.next(), bid.claim(), client.options.holder(), terms);
    }

    // ---- attempts

    private void attempt() {
        attempt(client.store);
    }

    private void attempt(LeaseStore store) {
        Attempt attempt = nextAttempt();
        if (attempt == null) {
            return;
        }
        Client.call(() -> store.acquire(attempt.request)).whenComplete((answer, error) -> {
            if (error == null) {
                answered(attempt, answer);
            } else {
                failed(attempt, Client.asLeasehold(error));
            }
        });
    }

    /** The next message; its answer is not waited for in vain, though the store may not return. */
    private @Nullable Attempt nextAttempt() {
        lock.lock();
        try {
            if (over) {
                return null;
            }
            Deadline.Sent now = Deadline.Sent.now(client.time);
            breakSilence(now.nanos());
            long wait = Math.min(Math.max(0, giveUpAt - now.nanos()), Limits.MAX_WAIT.toNanos());
            LeaseRequest asked = request.waitingAtMost(Duration.ofNanos(wait));
            return new Attempt(++attempts, asked, now);
        } finally {
            lock.unlock();
        }
    }

    private void breakSilence(long now) {
        long patience = client.options.patience().toNanos();
        setTimer(Math.min(patience / 2, giveUpAt + patience - now), this::silence);
    }

    /** No answer yet: ask again, or give up when the caller's wait and our patience are over. */
    private void silence() {
        long patience = client.options.patience().toNanos();
        if (giveUpAt + patience - client.time.nanos() > 0) {
            attempt();
        } else {
            fail(
                    new OutcomeUnknownException("no answer from the store about lock '"
                            + bid.claim().label()
                            + "' within " + client.options.patience()
                            + " beyond the wait; the request was withdrawn"),
                    true);
        }
    }

    private void retryLater() {
        lock.lock();
        try {
            if (!over) {
                long backOff = FIRST_PAUSE_NANOS << Math.min(failures++, MAX_DOUBLINGS);
                long pause = (long) (backOff * (0.5 + client.random.nextDouble()));
                // the last attempt is made when the caller's wait ends, not after
                long left = giveUpAt - client.time.nanos();
                setTimer(Math.min(pause, left), this::attempt);
            }
        } finally {
            lock.unlock();
        }
    }

    private void setTimer(long delay, Runnable task) {
        if (timer != null) {
            timer.cancel();
        }
        timer = client.time.schedule(Duration.ofNanos(Math.max(0, delay)), task);
    }

    // ---- answers

    private void answered(Attempt attempt, Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            granted(attempt, granted);
        } else if (answer instanceof Acquisition.Completed left) {
            conclude(new Result.Found(left));
        } else if (answer instanceof Acquisition.Held held) {
            if (isLatest(attempt) || isWaitOver()) { // else a later attempt still waits
                conclude(new Result.Busy(held));
            }
        } else if (isLatest(attempt)) {
            startOver(attempt);
        }
    }

    private void granted(Attempt attempt, Acquisition.Granted granted) {
        Deadline deadline = client.deadline(attempt.sent, granted.validity());
        boolean inTime = !deadline.hasPassed(client.time);
        if (inTime && obtain(attempt)) {
            HeldLease lease =
                    new HeldLease(bid.options(), granted.grant(), deadline, client.time.nanos());
            if (client.renewer.add(lease)) {
                result.complete(new Result.Obtained(lease));
            } else {
                client.withdraw(attempt.request);
                result.completeExceptionally(Leasehold.closed());
            }
        } else if (isAbandoned(attempt)) {
            client.withdraw(attempt.request);
        } else if (!inTime && isLatest(attempt)) {
            client.withdraw(attempt.request);
            startOver(attempt);
        }
    }

    /**
     * Makes the attempt's grant the one result; false if there is another or none is wanted any
     * more.
     */
    private boolean obtain(Attempt attempt) {
        lock.lock();
        try {
            if (over || !request.id().equals(attempt.request.id())) {
                return false;
            }
            end();
            obtained = request.id();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nobody wants what the attempt's request obtained. */
    private boolean isAbandoned(Attempt attempt) {
        lock.lock();
        try {
            LeaseId wanted = over ? obtained : request.id();
            return !attempt.request.id().equals(wanted);
        } finally {
            lock.unlock();
        }
    }

    private boolean isLatest(Attempt attempt) {
        lock.lock();
        try {
            return !over && attempt.number == attempts;
        } finally {
            lock.unlock();
        }
    }

    private boolean isWaitOver() {
        return giveUpAt - client.time.nanos() <= 0;
    }

    /** The request's grant is over before it was of use: make a new request while there is time. */
    private void startOver(Attempt attempt) {
        if (isWaitOver()) {
            fail(LockTimeoutException.tooSlow(bid.claim()), true);
            return;
        }
        lock.lock();
        try {
            if (request.id().equals(attempt.request.id())) {
                request = newRequest();
            }
        } finally {
            lock.unlock();
        }
        retryLater();
    }

    private void failed(Attempt attempt, LeaseholdException failure) {
        if (!isLatest(attempt)) {
            return;
        }
        if (Client.isTemporary(failure) && !isWaitOver()) {
            retryLater();
        } else {
            fail(failure, attempt.number > 1 || failure instanceof OutcomeUnknownException);
        }
    }

    /** Withdraws a request that was repeated: another attempt may still come to be granted. */
    private void conclude(Result came) {
        if (endFirst(wasRepeated())) {
            result.complete(came);
        }
    }

    private boolean wasRepeated() {
        lock.lock();
        try {
            return attempts > 1;
        } finally {
            lock.unlock();
        }
    }

    private void fail(LeaseholdException failure, boolean withdraw) {
        if (endFirst(withdraw)) {
            result.completeExceptionally(failure);
        }
    }

    /** Ends it without a lease, and takes the request back if asked to; false if it had ended. */
    private boolean endFirst(boolean withdraw) {
        LeaseRequest given;
        boolean asked;
        lock.lock();
        try {
            if (over) {
                return false;
            }
            end();
            given = request;
            asked = attempts > 0;
        } finally {
            lock.unlock();
        }
        if (withdraw && asked) {
            client.withdraw(given);
        }
        return true;
    }

    private void end() {
        over = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}
