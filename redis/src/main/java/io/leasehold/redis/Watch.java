// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Time;
import io.leasehold.table.StoreThread;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Fails calls that are not answered in time. There is one timer for all of them: to set one for each
 * would wake the thread of the timers with each call.
 *
 * <p>It has a thread of its own. The store's other timers send, and so may stand in a write that only
 * this one ends.
 */
final class Watch {

    /** A call and since when it is under way. */
    private record Call(CompletableFuture<?> arrival, long since) {}

    private final Time time;
    private final Duration patience;
    // in the order in which they were made
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean set = new AtomicBoolean();

    Watch(Time time, Duration patience) {
        this.time = StoreThread.timers(time, "leasehold-redis-timeouts");
        this.patience = patience;
    }

    void begin(CompletableFuture<?> arrival) {
        calls.add(new Call(arrival, time.nanos()));
        set(patience);
    }

    /** Forgets the calls that have been answered, up to the first that has not. */
    void forgetAnswered() {
        for (Call first = calls.peek();
                first != null && first.arrival.isDone();
                first = calls.peek()) {
            calls.remove(first);
        }
    }

    private void set(Duration pause) {
        if (set.compareAndSet(false, true)) {
            try {
                time.schedule(pause, this::look);
            } catch (RuntimeException | Error e) { // unable to create native thread
                set.set(false);
                throw e;
            }
        }
    }

    private void look() {
        set.set(false);
        forgetAnswered();
        for (Call first = calls.peek(); first != null; first = calls.peek()) {
            Duration left = patience.minusNanos(time.nanos() - first.since);
            if (left.compareTo(Duration.ZERO) > 0) {
                set(left);
                return;
            }
            calls.remove(first);
            first.arrival.completeExceptionally(new OutcomeUnknownException(
                    "Redis did not answer in time: within " + patience));
        }
    }
}
