// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings operations to the script, in the order in which they were sent, many in one call when many
 * are sent at once: one or two calls are under way at most, and whatever is sent meanwhile goes with the
 * next. So a lone caller never waits for company, and a hundred callers cost little more than one.
 *
 * <p>The queue is bounded, and so are the time in it and the time that an answer may take.
 */
final class Conveyor {

    /** So that the server has something to do while the client is busy with the answers. */
    static final int CALLS_UNDER_WAY = 2;

    /**
     * How many callers that wait may each make a call of their own. To go with others costs a caller
     * two changes of threads, which a few calls more are worth to the server; many are not.
     */
    static final int ALONE = 8;

    private static final int MAX_WEIGHT = 128;
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_QUEUED = 100_000;

    /** How often what was not begun is sent again without a pause. */
    private static final int REPEATS_AT_ONCE = 3;

    private static final Duration PAUSE_BEFORE_REPEAT = Duration.ofMillis(10);

    /** Takes what a call brings beside the answers, before those. */
    interface Extras {

        void deliver(List<?> fields);

        /** The reply to a call did not arrive, and what it may have brought did not either. */
        void missed();
    }

    /** Takes one operation there at once, and lets the thread that sent it read the answer. */
    interface Courier {

        CompletionStage<List<Object>> call(Operation operation);

        /** Reads the answer, if it comes before long; else somebody else will. */
        void read();
    }

    /** An operation and since when it waits to be sent. */
    private record Queued(Operation operation, long since) {}

    private final Function<List<Operation>, CompletionStage<List<Object>>> call;
    private final Supplier<@Nullable Courier> couriers;
    private final Extras extras;
    private final Time time;
    private final Duration patience;
    private final int callsUnderWay;
    private final Watch watch;
    private final Queue<Queued> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    // that wait for an answer now
    private final AtomicInteger callers = new AtomicInteger();
    // above 0 while a thread loads
    private final AtomicInteger requests = new AtomicInteger();
    // whether a call for work that was left is under way
    private final AtomicBoolean goingOn = new AtomicBoolean();
    private volatile @Nullable LeaseholdException closed;

    /**
     * An empty one.
     *
     * @param call runs the script on a batch
     * @param couriers finds one that is free, or null
     * @param callsUnderWay how many may be at most
     */
    Conveyor(
            Function<List<Operation>, CompletionStage<List<Object>>> call,
            Supplier<@Nullable Courier> couriers,
            Extras extras,
            Time time,
            Duration patience,
            int callsUnderWay) {
        this.call = call;
        this.couriers = couriers;
        this.extras = extras;
        this.time = time;
        this.patience = patience;
        this.callsUnderWay = callsUnderWay;
        this.watch = new Watch(time, patience);
    }

    CompletableFuture<List<Object>> send(Operation operation) {
        if (queued.incrementAndGet() > MAX_QUEUED) {
            queued.decrementAndGet();
            operation
                    .answer()
                    .completeExceptionally(new StoreUnavailableException(
                            MAX_QUEUED + " operations wait to be sent: Redis can't keep up"));
        } else {
            queue.add(new Queued(operation, time.nanos()));
            load();
        }
        return operation.answer();
    }

    /**
     * The same for a thread that is going to wait for the answer. Among few it makes a call of its
     * own; in a crowd it goes with the others: together they cost the server less.
     */
    CompletableFuture<List<Object>> sendWaiting(Operation operation) {
        boolean crowd = callers.incrementAndGet() > ALONE;
        operation.answer().whenComplete((answer, error) -> callers.decrementAndGet());
        Courier courier = crowd || closed != null ? null : couriers.get();
        if (courier == null) {
            return send(operation);
        }
        watched(List.of(operation), () -> courier.call(operation), () -> {});
        courier.read();
        return operation.answer();
    }

    /** Turns away whatever is queued and all that comes. */
    void close(LeaseholdException reason) {
        closed = reason;
        load();
    }

    /** Sends batches while it may, or leaves it to the thread that does. */
    private void load() {
        if (requests.getAndIncrement() > 0) {
            return;
        }
        int served = 1;
        do {
            LeaseholdException reason = closed;
            while (!queue.isEmpty() && (reason != null || underWay.get() < callsUnderWay)) {
                List<Operation> late = takeLate();
                List<Operation> batch = late.isEmpty() ? nextBatch() : late;
                if (reason != null) {
                    fail(batch, reason);
                } else if (late.isEmpty()) {
                    dispatch(batch);
                } else {
                    fail(
                            late,
                            new StoreUnavailableException("the operation could not be sent within "
                                    + patience + ": Redis does not answer those before it"));
                }
            }
            served = requests.addAndGet(-served);
        } while (served > 0);
    }

    private List<Operation> takeLate() {
        List<Operation> late = new ArrayList<>(0);
        long now = time.nanos();
        for (Queued next = queue.peek();
                next != null && now - next.since >= patience.toNanos();
                next = queue.peek()) {
            late.add(take());
        }
        return late;
    }

    private List<Operation> nextBatch() {
        List<Operation> batch = new ArrayList<>();
        int weight = 0;
        int bytes = 0;
        for (Queued next = queue.peek(); next != null; next = queue.peek()) {
            weight += next.operation.weight();
            bytes += next.operation.bytes();
            if (!batch.isEmpty() && (weight > MAX_WEIGHT || bytes > MAX_BYTES)) {
                break;
            }
            batch.add(take());
        }
        return batch;
    }

    private Operation take() {
        queued.decrementAndGet();
        return queue.remove().operation;
    }

    private void dispatch(List<Operation> batch) {
        underWay.incrementAndGet();
        watched(batch, () -> call.apply(batch), () -> {
            underWay.decrementAndGet();
            // before the answers, so that the server has something to do meanwhile
            load();
        });
    }

    /** Makes a call, and sees to it that its operations are answered in time. */
    private void watched(
            List<Operation> batch,
            Supplier<CompletionStage<List<Object>>> sending,
            Runnable arrived) {
        CompletableFuture<List<Object>> arrival = new CompletableFuture<>();
        arrival.whenComplete((answers, error) -> {
            watch.forgetAnswered();
            LeaseholdException reason = error == null ? null : Failures.of(error);
            if (reason instanceof OutcomeUnknownException) {
                extras.missed(); // before more is sent the same way, and perhaps stands in a write
            }
            arrived.run();
            if (reason == null) {
                unload(batch, answers);
            } else if (Failures.isMoving(reason)) {
                batch.forEach(operation -> sendAgain(operation, reason));
            } else {
                fail(batch, reason);
            }
        });
        try {
            watch.begin(arrival);
        } catch (RuntimeException | Error e) { // unable to create native thread
            arrival.completeExceptionally(new StoreUnavailableException(
                    "no timer can be had for a call to Redis: nothing was sent", e));
            return;
        }
        begun(sending).whenComplete((answers, error) -> {
            if (error == null) {
                arrival.complete(answers);
            } else {
                arrival.completeExceptionally(error);
            }
        });
    }

    private static CompletionStage<List<Object>> begun(
            Supplier<CompletionStage<List<Object>>> sending) {
        try {
            return sending.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void unload(List<Operation> batch, List<Object> answers) {
        try {
            for (int i = batch.size(); i < answers.size(); i++) {
                if (Answers.isWorkLeft(answers.get(i))) {
                    goOn();
                } else {
                    extras.deliver(Answers.delivery(answers.get(i)));
                }
            }
            for (int i = 0; i < batch.size(); i++) {
                answer(batch.get(i), answers.get(i));
            }
        } catch (RuntimeException | Error e) {
            // whoever has no answer yet must not wait for one in vain
            fail(batch, new OutcomeUnknownException("Redis answered what can't be read", e));
        }
    }

    private void answer(Operation operation, Object answer) {
        List<Object> fields = Answers.fields(answer);
        switch (fields.isEmpty() ? "" : Wire.string(fields.get(0))) {
            case "A" ->
                sendAgain(
                        operation,
                        new StoreUnavailableException("Redis is behind with what is overdue: it did"
                                + " not come to the operation within " + patience));
            case "!" ->
                operation.answer().completeExceptionally(Failures.ofScript(Answers.error(fields)));
            default -> operation.answer().complete(fields);
        }
    }

    /**
     * Sends an operation again that was not begun, with pauses and for as long as a caller is patient;
     * then it fails for the given reason.
     */
    private void sendAgain(Operation operation, LeaseholdException reason) {
        int repeats = operation.repeat(time.nanos());
        if (time.nanos() - operation.repeatedSince() >= patience.toNanos()) {
            operation.answer().completeExceptionally(reason);
        } else if (repeats <= REPEATS_AT_ONCE) {
            send(operation);
        } else {
            time.schedule(PAUSE_BEFORE_REPEAT, () -> send(operation));
        }
    }

    /** Makes a call for the work that another has left, if none is under way. */
    private void goOn() {
        if (goingOn.compareAndSet(false, true)) {
            send(Operation.of('l')).whenComplete((done, error) -> goingOn.set(false));
        }
    }

    private static void fail(List<Operation> batch, LeaseholdException reason) {
        batch.forEach(operation -> operation.answer().completeExceptionally(reason));
    }
}
