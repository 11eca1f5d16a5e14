// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.LeaseholdListener;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Tells the user's listener: by the thread of a call of the user's, or by a thread for the listener
 * alone, for which a bounded number of events wait. Thread-safe; call it without any lock.
 */
final class ListenerCalls {

    static final int MAX_WAITING = 4096;

    private static final System.Logger LOG = System.getLogger(Leasehold.class.getName());

    private final LeaseholdListener listener;
    private final Executor thread;
    private final boolean present;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong missed = new AtomicLong(); // since the listener was told of any

    ListenerCalls(LeaseholdListener listener, Executor thread) {
        this.listener = listener;
        this.thread = thread;
        this.present = listener != LeaseholdListener.none();
    }

    /** Whether anybody listens; events need not even be made otherwise. */
    boolean isPresent() {
        return present;
    }

    /** Tells it by this thread, which is in a call of the user's. */
    void now(Consumer<LeaseholdListener> event) {
        if (present) {
            tell(event);
        }
    }

    /** Has the listener's thread tell it, unless the listener is too slow. */
    void later(Consumer<LeaseholdListener> event) {
        if (!present) {
            return;
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            drop();
            return;
        }
        try {
            thread.execute(() -> {
                waiting.decrementAndGet();
                tellMissed();
                tell(event);
            });
        } catch (RuntimeException | OutOfMemoryError e) { // closed, or no thread can be had
            drop();
        }
    }

    private void drop() {
        waiting.decrementAndGet();
        if (missed.getAndIncrement() == 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the listener is too slow: events are dropped, see onMissed");
        }
    }

    private void tellMissed() {
        long dropped = missed.getAndSet(0);
        if (dropped > 0) {
            tell(told -> told.onMissed(dropped));
        }
    }

    private void tell(Consumer<LeaseholdListener> event) {
        ForeignCode.tell(event, listener);
    }
}
