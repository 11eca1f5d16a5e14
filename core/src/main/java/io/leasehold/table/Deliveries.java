// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.Time;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries late answers and events out of a table, for its driver: taken in under the lock of the
 * operation that caused them, given out without any lock, one at a time and in order.
 *
 * <p>Answers go out first. Whichever thread finds nobody delivering them delivers those that are
 * there, so an answer whose recipient answers in turn adds to the queue and not to the stack. It
 * delivers a bounded number and leaves the rest to an executor, so that a caller is not kept by
 * answers to others for as long as there are any. Answers are bounded by the number of waiters.
 *
 * <p>Events are told by an executor, a bounded number in one turn, so that a slow listener holds up
 * no caller. They are bounded here: when the listeners fall behind, events are dropped and counted.
 */
public final class Deliveries implements LeaseTable.Listener {

    private static final System.Logger LOG = System.getLogger(Deliveries.class.getName());
    private static final int MAX_EVENTS = 8192;
    private static final int TURN = 256;

    private final Executor answerer;
    private final Executor teller;
    private final boolean direct; // whoever asks for a turn takes it
    private final List<Entry> listeners = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();
    private final Queue<Told> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queuedEvents = new AtomicInteger();
    private final AtomicLong lastEvent = new AtomicLong();
    private final AtomicLong missedEvents = new AtomicLong();
    private final AtomicInteger answering = new AtomicInteger(); // above 0 while a thread delivers
    private final AtomicInteger telling = new AtomicInteger(); // above 0 while there is a turn
    private volatile @Nullable Thread deliverer; // of answers

    /** An event and its number. */
    private record Told(long number, LeaseEvent event) {}

    /** A subscription, an object of its own, so that a listener may subscribe twice. */
    private static final class Entry {
        final LeaseEvents listener;
        final long after; // the number of the last event before it
        volatile boolean closed;

        Entry(LeaseEvents listener, long after) {
            this.listener = listener;
            this.after = after;
        }
    }

    /** Tells events on the thread that delivers answers, behind them: for tests and simulations. */
    public Deliveries() {
        this(Runnable::run, Runnable::run, true);
    }

    /** Delivers what a thread leaves of the answers, and tells events, each on an executor. */
    Deliveries(Executor answerer, Executor teller) {
        this(answerer, teller, false);
    }

    private Deliveries(Executor answerer, Executor teller, boolean direct) {
        this.answerer = answerer;
        this.teller = teller;
        this.direct = direct;
    }

    /**
     * Delivers what a thread leaves of the answers, and tells events, on {@linkplain
     * StoreThread#named threads} of the store's: {@code STORE-answers} and {@code STORE-events}.
     */
    public static Deliveries onThreads(String store) {
        return new Deliveries(
                StoreThread.named(store + "-answers"), StoreThread.named(store + "-events"));
    }

    /**
     * On the machine's time, {@linkplain #onThreads on threads} of the store's. On another, by the
     * thread that caused it: whoever owns the time owns the order of what happens in it.
     */
    public static Deliveries on(Time time, String store) {
        return StoreThread.isMachines(time) ? onThreads(store) : new Deliveries();
    }

    /** Makes deliveries as {@link #on} does that take turns on the same threads. */
    public static Supplier<Deliveries> sharedOn(Time time, String store) {
        if (!StoreThread.isMachines(time)) {
            return Deliveries::new;
        }
        Executor answerer = StoreThread.named(store + "-answers");
        Executor teller = StoreThread.named(store + "-events");
        return () -> new Deliveries(answerer, teller);
    }

    /** Tells the listener of every event from now on. */
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        Entry entry = new Entry(listener, lastEvent.get());
        listeners.add(entry);
        return () -> {
            entry.closed = true;
            listeners.remove(entry);
        };
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
            events.add(new Told(lastEvent.incrementAndGet(), event));
        }
    }

    /** Takes in an answer. */
    public void answer(Runnable completion) {
        answers.add(completion);
    }

    /**
     * Delivers the answers that are queued, or leaves them to the thread that is delivering, and
     * has the events told. Call it without any lock.
     */
    public void flush() {
        if (isDeliveredByThisThread()) {
            return; // whoever called the dependent that calls this goes on when it returns
        }
        deliverAnswers();
        if (!events.isEmpty() && telling.getAndIncrement() == 0) {
            askForTurn();
        }
    }

    private void deliverAnswers() {
        if (!answers.isEmpty() && answering.getAndIncrement() == 0) {
            deliverTurn();
        }
    }

    /** One turn. Asks for another if there are more to deliver. */
    private void deliverTurn() {
        int left = TURN;
        int served;
        do {
            served = answering.get();
            deliverer = Thread.currentThread();
            for (Runnable next = answers.poll(); next != null; next = answers.poll()) {
                deliver(next);
                if (!direct && --left == 0) {
                    deliverer = null;
                    if (askForTurnOfAnswers()) {
                        return;
                    }
                    deliverer = Thread.currentThread();
                    left = TURN;
                }
            }
            deliverer = null; // before another thread can be the one
        } while (answering.addAndGet(-served) > 0);
    }

    /** False for want of threads: whoever waits for an answer must not wait in vain. */
    private boolean askForTurnOfAnswers() {
        AtomicBoolean taken = new AtomicBoolean(); // an executor may take it in and fail then
        try {
            answerer.execute(() -> {
                if (taken.compareAndSet(false, true)) {
                    deliverTurn();
                }
            });
            return true;
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "answers are delivered by a caller", e);
            return !taken.compareAndSet(false, true);
        }
    }

    private static void deliver(Runnable answer) {
        try {
            answer.run();
        } catch (Throwable e) { // must not keep back those behind it
            LOG.log(System.Logger.Level.WARNING, "an answer could not be delivered", e);
        }
    }

    /**
     * Whether the calling thread is the one that delivers answers, and so within a dependent of
     * one: what it waits for is not delivered before it returns.
     */
    public boolean isDeliveredByThisThread() {
        return deliverer == Thread.currentThread();
    }

    private void askForTurn() {
        try {
            teller.execute(this::tellEvents);
        } catch (RuntimeException | Error e) { // for want of threads: the next flush asks again
            telling.set(0);
            LOG.log(System.Logger.Level.WARNING, "lease events can't be told now", e);
        }
    }

    /**
     * One turn. Asks for another if there is more to tell, or before it throws what a listener has
     * thrown about the virtual machine.
     */
    private void tellEvents() {
        int left = TURN;
        int served;
        do {
            served = telling.get();
            for (Told next = events.poll(); next != null; next = events.poll()) {
                VirtualMachineError fatal = tell(next);
                if (!direct && (--left == 0 || fatal != null)) {
                    askForTurn();
                    if (fatal != null) {
                        throw fatal;
                    }
                    return;
                }
            }
        } while (telling.addAndGet(-served) > 0);
    }

    private @Nullable VirtualMachineError tell(Told told) {
        queuedEvents.decrementAndGet();
        long missed = missedEvents.getAndSet(0);
        VirtualMachineError fatal = null;
        for (Entry entry : listeners) {
            if (entry.after < told.number) {
                fatal = tell(entry, told.event, fatal);
                if (missed > 0) {
                    fatal = tell(entry, new LeaseEvent.Missed(missed), fatal);
                }
            }
        }
        return fatal;
    }

    private static @Nullable VirtualMachineError tell(
            Entry entry, LeaseEvent event, @Nullable VirtualMachineError before) {
        if (entry.closed) {
            return before; // by a listener that was told of the same event
        }
        try {
            entry.listener.on(event);
        } catch (Throwable e) { // must not keep back what is behind it
            LOG.log(System.Logger.Level.WARNING, "a lease event listener failed on " + event, e);
            return e instanceof VirtualMachineError fatal ? fatal : before;
        }
        return before;
    }
}
