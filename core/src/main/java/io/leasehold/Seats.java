// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for one flight, the first one from the start: a stack that each pushes
 * itself onto without a lock, because a hot key has many. Thread-safe.
 */
final class Seats<T> {

    /** Fewer empty seats than this are not worth a walk. */
    private static final int MIN_SWEEP = 64;

    /** The seat of the caller whose work it is. */
    final Seat<T> first = new Seat<>(this);

    /** In place of the newest seat when no more may be taken. */
    private final Seat<T> none = new Seat<>(this);

    private final Runnable whenAllHaveLeft;
    private final AtomicReference<Seat<T>> newest = new AtomicReference<>(first);
    private final AtomicInteger taken = new AtomicInteger(1);

    /** Guards the links between seats that were taken, and the field below. */
    private final ReentrantLock lock = new ReentrantLock();

    private int empty; // seats whose callers have left since the last sweep

    Seats(Runnable whenAllHaveLeft) {
        this.whenAllHaveLeft = whenAllHaveLeft;
    }

    /** Another seat; null if no more may be taken. */
    @Nullable
    Seat<T> take() {
        if (taken.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            return null;
        }
        Seat<T> seat = new Seat<>(this);
        Seat<T> top;
        do {
            top = newest.get();
            if (top == none) {
                return null;
            }
            seat.before = top;
        } while (!newest.compareAndSet(top, seat));
        return seat;
    }

    boolean areClosed() {
        return taken.get() == 0 || newest.get() == none;
    }

    /** A caller has gone. */
    void leave() {
        if (taken.decrementAndGet() == 0) {
            whenAllHaveLeft.run();
        } else {
            sweep();
        }
    }

    /** Gives up the seats of those who left, once they are more than those who stayed. */
    private void sweep() {
        lock.lock();
        try {
            if (++empty < MIN_SWEEP || empty < taken.get()) {
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

    /** Lets nobody in any more. Returns what answers those who are there, to be run once. */
    Consumer<Consumer<Seat<T>>> close() {
        lock.lock();
        try {
            Seat<T> last = newest.getAndSet(none);
            return answer -> answerAll(last, answer);
        } finally {
            lock.unlock();
        }
    }

    private static <T> void answerAll(@Nullable Seat<T> last, Consumer<Seat<T>> answer) {
        Seat<T> seat = last;
        while (seat != null) {
            Seat<T> before = seat.before;
            seat.before = null; // or who keeps one seat would keep them all
            answer.accept(seat);
            seat = before;
        }
    }
}
