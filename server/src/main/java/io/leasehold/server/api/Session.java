// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Many calls of one client on one stream. All of it happens on the stream's event loop, but for the
 * answers of stores, which arrive on any thread and are collected: those that are there together go
 * out in one message.
 *
 * <p>A client that does not read is not served further: while too many answers are unsent, by
 * number or by bytes, no message is taken from the network, and acquires and lists that were taken
 * before are put off. Answers to those that are under way may fill it up to a bound, beyond which
 * the stream is cut.
 */
final class Session implements StreamObserver<SessionRequest> {

    private static final int MOST_CALLS_IN_A_MESSAGE = 10_000;
    private static final int MOST_ANSWERS_IN_A_MESSAGE = 1_000;
    private static final int MOST_BYTES_IN_A_MESSAGE = 1 << 20;
    private static final int UNSENT_TO_PAUSE = 4_096;
    private static final int UNSENT_TO_CUT = 100_000;
    private static final int BYTES_TO_PAUSE = 4 << 20;
    private static final int BYTES_TO_CUT = 64 << 20;
    /** Each has up to a megabyte. */
    private static final int MOST_LISTS_UNSENT = 8;

    private final Operations operations;
    private final Caller caller;
    private final ServerCallStreamObserver<SessionReply> replies;
    private final Executor loop;
    private final Sessions sessions;
    private final ConcurrentLinkedQueue<Ready> ready = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unsent = new AtomicInteger();
    private final AtomicLong unsentBytes = new AtomicLong();
    private final AtomicBoolean draining = new AtomicBoolean();
    private final Set<Delivery> undelivered = new HashSet<>(); // on the loop, as what follows
    private final ArrayDeque<Call> putOff = new ArrayDeque<>();
    private final List<Delivery> sent = new ArrayList<>(); // maybe not by the network yet
    private int underWay;
    private int listsUnsent;
    private boolean paused; // no further message was asked for
    private boolean stopUntold; // the server is stopping, and the client is to hear of it
    private boolean complete; // the client has no more calls
    private boolean ended;

    /** An answer that is to be sent, who waits to hear of that, and whether it is to a list. */
    private record Ready(Answer answer, @Nullable Delivery delivery, boolean list) {}

    Session(
            Operations operations,
            Caller caller,
            ServerCallStreamObserver<SessionReply> replies,
            Executor loop,
            Sessions sessions) {
        this.operations = operations;
        this.caller = caller;
        this.replies = replies;
        this.loop = loop;
        this.sessions = sessions;
    }

    void start() {
        replies.disableAutoRequest();
        replies.setOnReadyHandler(this::drain);
        replies.setOnCancelHandler(this::end);
        replies.request(1);
        sessions.add(this);
    }

    /** Tells the client that the server is stopping. On any thread. */
    void tellOfStop() {
        loop.execute(() -> {
            stopUntold = true;
            drain();
        });
    }

    // --- calls ------------------------------------------------------------------------------

    @Override
    public void onNext(SessionRequest message) {
        if (ended) {
            return;
        } else if (message.getCallsCount() > MOST_CALLS_IN_A_MESSAGE) {
            fail(Failures.of(
                    Failure.Kind.INVALID,
                    message.getCallsCount() + " calls in one message; at most "
                            + MOST_CALLS_IN_A_MESSAGE));
            return;
        }
        paused = true;
        draining.set(true); // whatever is there at the end of this goes out together
        for (Call call : message.getCallsList()) {
            if (isPatient(call)) {
                putOff.add(call);
            } else {
                carry(call);
            }
        }
        drain();
    }

    /** Those who hold leases go before those who want some. */
    private static boolean isPatient(Call call) {
        return call.getOperationCase() == Call.OperationCase.ACQUIRE
                || call.getOperationCase() == Call.OperationCase.LIST;
    }

    /** Carries out what was put off, as far as there is room for the answers. */
    private void carryPutOff() {
        draining.set(true);
        while (isRoomForNext()) {
            Call next = putOff.remove();
            if (next.hasList()) {
                listsUnsent++;
            }
            carry(next);
        }
        draining.set(false);
    }

    private boolean isRoomForNext() {
        Call next = putOff.peek();
        return next != null
                && !ended
                && isRoom()
                && (!next.hasList() || listsUnsent < MOST_LISTS_UNSENT);
    }

    private boolean isRoom() {
        return unsent.get() < UNSENT_TO_PAUSE && unsentBytes.get() < BYTES_TO_PAUSE;
    }

    private void carry(Call call) {
        long id = call.getId();
        Caller caller = caller(id, this.caller.gone());
        underWay++;
        switch (call.getOperationCase()) {
            case ACQUIRE -> acquire(id, call.getAcquire());
            case WITHDRAW ->
                await(
                        id,
                        operations.withdraw(caller, call.getWithdraw()),
                        Answer.Builder::setEnded);
            case RENEW ->
                await(id, operations.renew(caller, call.getRenew()), Answer.Builder::setRenewed);
            case ROTATE ->
                await(id, operations.rotate(caller, call.getRotate()), Answer.Builder::setRotated);
            case RELEASE ->
                await(id, operations.release(caller, call.getRelease()), Answer.Builder::setEnded);
            case COMPLETE ->
                await(
                        id,
                        operations.complete(caller, call.getComplete()),
                        Answer.Builder::setEnded);
            case LIST -> list(id, call.getList());
            case FORCE_RELEASE ->
                await(
                        id,
                        operations.forceRelease(caller, call.getForceRelease()),
                        Answer.Builder::setEnded);
            case OPERATION_NOT_SET ->
                collect(new Ready(
                        failure(
                                id,
                                Failures.of(
                                        Failure.Kind.INVALID,
                                        "a call without an operation that this server knows")),
                        null,
                        false));
        }
    }

    private void acquire(long id, AcquireRequest request) {
        Delivery delivery = new Delivery();
        undelivered.add(delivery);
        CompletionStage<?> unused = operations
                .acquire(caller(id, delivery), request)
                .whenComplete((reply, failure) -> collect(new Ready(
                        failure == null
                                ? Answer.newBuilder()
                                        .setId(id)
                                        .setAcquired(reply)
                                        .build()
                                : failure(id, failure),
                        delivery,
                        false)));
    }

    private void list(long id, ListRequest request) {
        Delivery delivery = new Delivery();
        undelivered.add(delivery);
        CompletionStage<?> unused = operations
                .list(caller(id, delivery), request)
                .whenComplete((reply, failure) -> collect(new Ready(
                        failure == null
                                ? Answer.newBuilder().setId(id).setListed(reply).build()
                                : failure(id, failure),
                        delivery,
                        true)));
    }

    private <T> void await(long id, CompletionStage<T> reply, BiConsumer<Answer.Builder, T> set) {
        CompletionStage<T> unused = reply.whenComplete((answer, failure) -> {
            if (failure != null) {
                collect(new Ready(failure(id, failure), null, false));
                return;
            }
            Answer.Builder message = Answer.newBuilder().setId(id);
            set.accept(message, answer);
            collect(new Ready(message.build(), null, false));
        });
    }

    private Caller caller(long id, CompletionStage<Void> gone) {
        return new Caller(caller.principal(), gone, caller.call().call(id));
    }

    private Answer failure(long id, Throwable failure) {
        return Answer.newBuilder()
                .setId(id)
                .setFailure(Failures.ofChanging(caller.call().call(id), failure).failure())
                .build();
    }

    // --- answers ----------------------------------------------------------------------------

    /** Takes an answer, on any thread. */
    private void collect(Ready answer) {
        ready.add(answer);
        unsent.incrementAndGet();
        unsentBytes.addAndGet(answer.answer().getSerializedSize());
        if (draining.compareAndSet(false, true)) {
            loop.execute(this::drain);
        }
    }

    /** Sends what is there, as far as the network has room. */
    private void drain() {
        do {
            carryPutOff();
            while (!ended && replies.isReady()) {
                freeSent();
                if (!stopUntold && ready.isEmpty()) {
                    break;
                }
                send();
            }
        } while (isRoomForNext());
        int left = unsent.get();
        if (ended) {
            return;
        } else if (left > UNSENT_TO_CUT || unsentBytes.get() > BYTES_TO_CUT) {
            fail(Failures.limit(
                    "unsent answers",
                    UNSENT_TO_CUT,
                    "the session is ended because its answers are not read"));
        } else if (complete && underWay == 0 && left == 0 && putOff.isEmpty()) {
            end();
            replies.onCompleted();
        } else if (paused && putOff.isEmpty() && isRoom()) {
            paused = false;
            replies.request(1);
        }
    }

    /** Answers that were handed over before are with the network by now. */
    private void freeSent() {
        sent.forEach(Delivery::delivered);
        sent.clear();
    }

    private void send() {
        SessionReply.Builder message = SessionReply.newBuilder().setStopping(stopUntold);
        stopUntold = false;
        int bytes = 0;
        int answers = 0;
        while (answers < MOST_ANSWERS_IN_A_MESSAGE && bytes < MOST_BYTES_IN_A_MESSAGE) {
            Ready next = ready.poll();
            if (next == null) {
                break;
            }
            message.addAnswers(next.answer());
            bytes += next.answer().getSerializedSize();
            answers++;
            handOver(next);
        }
        underWay -= answers;
        unsent.addAndGet(-answers);
        unsentBytes.addAndGet(-bytes);
        replies.onNext(message.build());
    }

    private void handOver(Ready answer) {
        Delivery delivery = answer.delivery();
        if (delivery == null) {
            return;
        }
        undelivered.remove(delivery);
        if (answer.list()) {
            listsUnsent--;
        }
        if (answer.answer().getAcquired().hasGranted()) {
            delivery.delivered();
        } else {
            sent.add(delivery);
        }
    }

    // --- the end ----------------------------------------------------------------------------

    @Override
    public void onCompleted() {
        complete = true;
        drain();
    }

    @Override
    public void onError(Throwable failure) {
        end();
    }

    private void fail(CallFailedException failure) {
        if (!ended) {
            end();
            replies.onError(GrpcStatus.of(failure));
        }
    }

    /** Nobody hears answers any more. */
    private void end() {
        ended = true;
        sessions.remove(this);
        putOff.clear();
        freeSent();
        Set<Delivery> lost = Set.copyOf(undelivered);
        undelivered.clear();
        lost.forEach(Delivery::lost);
    }
}
