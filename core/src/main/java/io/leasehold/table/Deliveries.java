// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Carries late answers and events out of a table, for its driver: taken in under the lock of the operation that
 * caused them, given out without any lock, one at a time and in order. Whichever thread finds
 * nobody delivering delivers until nothing is left, so an answer whose recipient answers in turn
 * adds to the queue and not to the stack.
 *
 * <p>Answers are bounded by the number of waiters. Events are bounded here: when the listeners fall
 * behind, events are dropped and counted.
 */
public final class Deliveries implements LeaseTable.Listener {

    private static final System.Logger LOG = System.getLogger(Deliveries.class.getName());
    private static final int MAX_EVENTS = 8192;

    private final List<LeaseEvents> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queuedEvents = new AtomicInteger();
    private final AtomicLong missedEvents = new AtomicLong();
    private final AtomicInteger requests = new AtomicInteger(); // above 0 while a thread delivers
    private volatile @Nullable Thread deliverer;

    /** With nothing to deliver and nobody listening. */
    public Deliveries() {}

    /** Tells the listener of every event from now on. */
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        // an object of its own, so that a listener may subscribe twice
        LeaseEvents entry = event -> listener.on(event);
        listeners.add(entry);
        return () -> listeners.remove(entry);
    }

    @Override
    public boolean isListening() {
        return !listeners.isEmpty();
    }

    @Override
    public void on(LeaseEvent event) {
        if (queuedEvents.incrementAndGet() > MAX_EVENTS) {
            queuedEvents.decrementAndGet();
            missedEvents.incrementAndGet();
        } else {
            queue.add(() -> tell(event));
        }
    }

    /** Takes in an answer. */
    public void answer(Runnable completion) {
        queue.add(completion);
    }

    /**
     * Delivers what is queued, or leaves it to the thread that is delivering. Call it without any
     * lock.
     */
    public void flush() {
        if (queue.isEmpty() || requests.getAndIncrement() > 0) {
            return;
        }
        int served = 1;
        do {
            deliverer = Thread.currentThread();
            for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
                next.run();
            }
            deliverer = null; // before another thread can be the one
            served = requests.addAndGet(-served);
        } while (served > 0);
    }

    /**
     * Whether the calling thread is the one that delivers, and so within a listener or a dependent of
     * an answer: what it waits for is not delivered before it returns.
     */
    public boolean isDeliveredByThisThread() {
        return deliverer == Thread.currentThread();
    }

    private void tell(LeaseEvent event) {
        queuedEvents.decrementAndGet();
        long missed = missedEvents.getAndSet(0);
        for (LeaseEvents listener : listeners) {
            tell(listener, event);
            if (missed > 0) {
                tell(listener, new LeaseEvent.Missed(missed));
            }
        }
    }

    private static void tell(LeaseEvents listener, LeaseEvent event) {
        try {
            listener.on(event);
        } catch (Throwable e) { // must not keep back what is behind it
            LOG.log(System.Logger.Level.WARNING, "a lease event listener failed on " + event, e);
        }
    }
}
