// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import io.leasehold.spi.TokenCheck;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One client's way to a store, over a network that loses, repeats, delays and reorders messages as {@link Faults}
 * says, and that can be {@linkplain #cutOff cut}. Several clients of one store get a way each. With a seed and {@link
 * VirtualTime}, a run repeats exactly. Every fault that fired is counted, so that a test can demand that it did.
 *
 * <p>Thread-safe. Messages without delay are delivered on the caller's thread, the others by the timers of the given
 * time; no lock is held meanwhile. Events are not delayed, but a client that is cut off misses them.
 */
public final class FaultyStore implements LeaseStore {

    private final LeaseStore store;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock(); // guards random
    private final SplittableRandom random;
    private final Map<Fault, AtomicLong> fired = new EnumMap<>(Fault.class); // filled once
    private final Set<Message<?>> unanswered = ConcurrentHashMap.newKeySet();
    private volatile Faults faults;
    private volatile boolean cutOff;
    private volatile boolean closed;

    private FaultyStore(LeaseStore store, Time time, long seed, Faults faults) {
        this.store = store;
        this.time = time;
        this.random = new SplittableRandom(seed);
        this.faults = faults;
        for (Fault fault : Fault.values()) {
            fired.put(fault, new AtomicLong());
        }
    }

    /** A way to the store that fails as the faults say, decided by the seed; delays go by the given time. */
    public static FaultyStore to(LeaseStore store, Time time, long seed, Faults faults) {
        return new FaultyStore(store, time, seed, faults);
    }

    /** A way to the store that works until it is cut. */
    public static FaultyStore to(LeaseStore store, Time time) {
        return to(store, time, 0, Faults.none());
    }

    /**
     * Cuts the client off, or lets it through again. While it is, requests and answers, also those under way, are
     * lost in silence.
     */
    public void cutOff(boolean cut) {
        cutOff = cut;
    }

    /** Changes what may happen to messages that are sent from now on. */
    public void change(Faults changed) {
        faults = changed;
    }

    /** How often a fault has fired. */
    public long fired(Fault fault) {
        return counter(fault).get();
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return send(() -> store.acquire(request));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return send(() -> store.withdraw(request));
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return send(() -> store.withdrawUnlessUsed(request));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return send(() -> store.renew(request));
    }

    /** One message, which arrives or is lost as a whole. */
    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        List<RenewalRequest> sent = List.copyOf(requests);
        return send(() -> store.renewAll(sent));
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return send(() -> store.rotate(grant));
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return send(() -> store.release(grant));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return send(() -> store.forceRelease(scope, token));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return send(() -> store.complete(grant, record, keepFor));
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return send(() -> store.list(query));
    }

    @Override
    public CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        return send(() -> store.check(scope, token));
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return store.subscribe(event -> {
            if (!swallowed()) {
                listener.on(event);
            }
        });
    }

    @Override
    public Guarantees guarantees() {
        return store.guarantees();
    }

    @Override
    public CompletionStage<StoreId> storeId() {
        return send(store::storeId);
    }

    /** A change is told at once, as one that was noticed in an answer. */
    @Override
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return store.onStoreChange(listener);
    }

    /** Closes this way, not the store: what is unanswered may have happened, later calls are turned away. */
    @Override
    public void close() {
        closed = true;
        for (Message<?> message : unanswered) {
            message.stage.completeExceptionally(
                    new OutcomeUnknownException("the connection was closed"));
        }
    }

    private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> operation) {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("the connection is closed"));
        }
        Message<T> message = new Message<>(operation, drawFate());
        unanswered.add(message);
        CompletableFuture<T> unused =
                message.stage.whenComplete((answer, failure) -> unanswered.remove(message));
        if (!swallowed() && !happens(Fault.REQUEST_LOST, message.fate)) {
            after(message.fate.request(), Fault.REQUEST_DELAYED, () -> arrive(message));
            if (happens(Fault.REQUEST_DUPLICATED, message.fate)) {
                Duration later = message.fate.request().plus(message.fate.duplicate());
                after(later, Fault.REQUEST_DELAYED, () -> arrive(message));
            }
        }
        return message.stage;
    }

    private <T> void arrive(Message<T> message) {
        if (swallowed()) {
            return;
        }
        if (happens(Fault.UNAVAILABLE, message.fate)) {
            StoreUnavailableException reason =
                    new StoreUnavailableException("the request was turned away");
            reply(message, () -> message.stage.completeExceptionally(reason));
            return;
        }
        CompletionStage<T> unused = message.operation.get().whenComplete((answer, failure) -> {
            if (!happens(Fault.REPLY_LOST, message.fate)) {
                reply(message, () -> finish(message, answer, failure));
            }
        });
    }

    private void reply(Message<?> message, Runnable delivery) {
        after(message.fate.reply(), Fault.REPLY_DELAYED, () -> {
            if (!swallowed()) {
                delivery.run();
            }
        });
    }

    private <T> void finish(Message<T> message, T answer, @Nullable Throwable failure) {
        if (happens(Fault.OUTCOME_UNKNOWN, message.fate)) {
            message.stage.completeExceptionally(
                    new OutcomeUnknownException("the connection broke"));
        } else if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
            message.stage.completeExceptionally(wrapped.getCause());
        } else if (failure != null) {
            message.stage.completeExceptionally(failure);
        } else {
            message.stage.complete(answer);
        }
    }

    private void after(Duration delay, Fault counted, Runnable delivery) {
        if (delay.isZero()) {
            delivery.run();
            return;
        }
        count(counted);
        Time.Timer unused = time.schedule(delay, delivery);
    }

    private Fate drawFate() {
        lock.lock();
        try {
            return Fate.draw(faults, random);
        } finally {
            lock.unlock();
        }
    }

    private boolean swallowed() {
        boolean swallowed = cutOff;
        if (swallowed) {
            count(Fault.CUT_OFF);
        }
        return swallowed;
    }

    private boolean happens(Fault fault, Fate fate) {
        boolean happens = fate.has(fault);
        if (happens) {
            count(fault);
        }
        return happens;
    }

    private void count(Fault fault) {
        counter(fault).incrementAndGet();
    }

    private AtomicLong counter(Fault fault) {
        AtomicLong counter = fired.get(fault);
        if (counter == null) {
            throw new AssertionError("no counter for " + fault);
        }
        return counter;
    }

    /** A request under way, with what to do where it arrives, what will become of it, and where its answer goes. */
    private static final class Message<T> {
        final Supplier<CompletionStage<T>> operation;
        final Fate fate;
        final CompletableFuture<T> stage = new CompletableFuture<>();

        Message(Supplier<CompletionStage<T>> operation, Fate fate) {
            this.operation = operation;
            this.fate = fate;
        }
    }
}
