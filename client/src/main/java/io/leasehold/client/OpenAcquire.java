// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An acquire that was sent once, and the callers that wait for its answer: the one that sent it, and
 * those that repeated it.
 *
 * <h2>Why the repeats get leases that are not too long</h2>
 *
 * A caller counts a lease from before it asked, and the answer's lengths count from when the request
 * was sent. So a repeat is told lengths that are shorter by the time between the two. That time is
 * measured by the client's clock and they by the store's, hence it is stretched by the most that a
 * client may assume of clocks ({@code ClockBounds}: a drift of a tenth, twice). For the same reason a
 * question is not joined when it is older than twice the ttl: what clocks may have drifted apart
 * since it was sent must stay small against the lease. Such a repeat is sent.
 *
 * <p>Its monitor guards the callers and is innermost.
 */
final class OpenAcquire {

    private static final int MAX_CALLERS = 16;

    /** A repeat states what is left of its wait, which was computed a moment before. */
    private static final long LATER_NANOS = Duration.ofMillis(100).toNanos();

    private record Caller(long askedAt, CompletableFuture<Acquisition> answer) {}

    private final LeaseRequest request;
    private final long sentAt; // or a little earlier
    private final Deque<Caller> callers = new ArrayDeque<>(1);

    OpenAcquire(LeaseRequest request, long now) {
        this.request = request;
        this.sentAt = now;
    }

    /** Whether the answer to this will do for the other request. */
    boolean takes(LeaseRequest other, long now) {
        long age = now - sentAt;
        return age <= 2 * request.terms().ttl().toNanos()
                && endsInTime(other.terms().waitAtMost(), age)
                && other.waitingAtMost(request.terms().waitAtMost()).equals(request);
    }

    /** Whether the answer comes no earlier than a wait from now on ends: else it is a longer wait. */
    private boolean endsInTime(Duration wait, long age) {
        Duration later = wait.plusNanos(age).minus(request.terms().waitAtMost());
        return wait.isZero() || later.toNanos() <= LATER_NANOS;
    }

    synchronized void join(long now, CompletableFuture<Acquisition> answer) {
        callers.add(new Caller(now, answer));
    }

    /** Answers the oldest repeat if there are too many: whoever repeats believes the latest. */
    void makeRoom() {
        Caller oldest = oldestIfFull();
        if (oldest != null) {
            oldest.answer.completeExceptionally(
                    new OutcomeUnknownException("a repeat of the request took its place"));
        }
    }

    private synchronized @Nullable Caller oldestIfFull() {
        if (callers.size() <= MAX_CALLERS) {
            return null;
        }
        Caller first = callers.removeFirst();
        Caller oldest = callers.removeFirst();
        callers.addFirst(first); // its lengths are the best
        return oldest;
    }

    /** Tells all callers, the one that sent the request before the others. */
    void answer(@Nullable Acquisition came, @Nullable Throwable failure) {
        for (Caller caller : takeCallers()) {
            if (came != null) {
                caller.answer.complete(since(caller.askedAt - sentAt, came));
            } else if (failure != null) {
                caller.answer.completeExceptionally(failure);
            }
        }
    }

    private synchronized List<Caller> takeCallers() {
        List<Caller> all = new ArrayList<>(callers);
        callers.clear();
        return all;
    }

    /** The answer as it is to be told to a caller that asked so much later. */
    private static Acquisition since(long nanosLater, Acquisition answer) {
        if (nanosLater <= 0 || !(answer instanceof Acquisition.Granted granted)) {
            return answer;
        }
        Duration shorter = Duration.ofNanos(nanosLater + (nanosLater + 3) / 4);
        Duration inStore = granted.validity().inStore().minus(shorter);
        Duration remaining = granted.validity().remaining();
        Validity validity = inStore.isNegative()
                ? new Validity(Duration.ZERO, longerThanNothing(remaining.plus(inStore)))
                : new Validity(inStore, remaining);
        return new Acquisition.Granted(granted.grant(), granted.version(), validity);
    }

    private static Duration longerThanNothing(Duration length) {
        return length.isNegative() ? Duration.ZERO : length;
    }
}
