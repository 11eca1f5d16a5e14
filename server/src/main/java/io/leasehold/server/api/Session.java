// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.google.protobuf.MessageLite;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.server.access.Principal;
import io.leasehold.server.access.RequestMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
    /** What a call or an answer takes besides its bytes on the wire. */
    private static final long OBJECTS = 512;

    private final Operations operations;
    private final Caller caller;
    private final ServerCallStreamObserver<SessionReply> replies;
    private final Surroundings surroundings;
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

    /**
     * What it needs.
     *
     * @param loop the stream's event loop
     * @param memory what its calls and answers take
     * @param sessions all that are open
     */
    record Surroundings(Executor loop, RequestMemory.Share memory, Sessions sessions) {}

    /**
     * An answer that is to be sent.
     *
     * @param bytes of memory that it takes until then, with its call
     * @param delivery who waits to hear of that
     * @param list whether it is to a list
     */
    private record Ready(
            Answer answer, long bytes, @Nullable Delivery delivery, boolean list) {}

    Session(
            Operations operations,
            Caller caller,
            ServerCallStreamObserver<SessionReply> replies,
            Surroundings surroundings) {
        this.operations = operations;
        this.caller = caller;
        this.replies = replies;
        this.surroundings = surroundings;
    }

    Principal principal() {
        return caller.principal();
    }

    /** Throws LIMIT_EXCEEDED if its principal has too many. */
    void start() {
        surroundings.sessions.add(this);
        replies.disableAutoRequest();
        replies.setOnReadyHandler(this::drain);
        replies.setOnCancelHandler(this::end);
        replies.request(1);
    }

    /** Tells the client that the server is stopping. On any thread. */
    void tellOfStop() {
        surroundings.loop.execute(() -> {
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
        surroundings.memory.wasReceived();
        surroundings.memory.hold(
                message.getCallsList().stream().mapToLong(Session::bytes).sum());
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

    private static long bytes(MessageLite message) {
        return OBJECTS + message.getSerializedSize();
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
            case ACQUIRE -> acquire(call);
            case WITHDRAW ->
                await(
                        call,
                        operations.withdraw(caller, call.getWithdraw()),
                        Answer.Builder::setEnded);
            case RENEW ->
                await(call, operations.renew(caller, call.getRenew()), Answer.Builder::setRenewed);
            case ROTATE ->
                await(
                        call,
                        operations.rotate(caller, call.getRotate()),
                        Answer.Builder::setRotated);
            case RELEASE ->
                await(
                        call,
                        operations.release(caller, call.getRelease()),
                        Answer.Builder::setEnded);
            case COMPLETE ->
                await(
                        call,
                        operations.complete(caller, call.getComplete()),
                        Answer.Builder::setEnded);
            case LIST -> list(call);
            case FORCE_RELEASE ->
                await(
                        call,
                        operations.forceRelease(caller, call.getForceRelease()),
                        Answer.Builder::setEnded);
            case OPERATION_NOT_SET -> await(call, unknownOperation(), Answer.Builder::setEnded);
        }
    }

    private static CompletionStage<EndReply> unknownOperation() {
        return CompletableFuture.failedStage(Failures.of(
                Failure.Kind.INVALID, "a call without an operation that this server knows"));
    }

    /** While it waits, the operations bound what it takes. */
    private void acquire(Call call) {
        Delivery delivery = new Delivery();
        undelivered.add(delivery);
        surroundings.memory.free(bytes(call));
        long id = call.getId();
        CompletionStage<?> unused = operations
                .acquire(caller(id, delivery), call.getAcquire())
                .whenComplete((reply, failure) -> collect(
                        failure == null
                                ? Answer.newBuilder()
                                        .setId(id)
                                        .setAcquired(reply)
                                        .build()
                                : failure(id, failure),
                        0,
                        delivery,
                        false));
    }

    private void list(Call call) {
        Delivery delivery = new Delivery();
        undelivered.add(delivery);
        surroundings.memory.free(bytes(call));
        long id = call.getId();
        CompletionStage<?> unused = operations
                .list(caller(id, delivery), call.getList())
                .whenComplete((reply, failure) -> collect(
                        failure == null
                                ? Answer.newBuilder().setId(id).setListed(reply).build()
                                : failure(id, failure),
                        0,
                        delivery,
                        true));
    }

    private <T> void await(Call call, CompletionStage<T> reply, BiConsumer<Answer.Builder, T> set) {
        long id = call.getId();
        long bytes = bytes(call);
        CompletionStage<T> unused = reply.whenComplete((answer, failure) -> {
            if (failure != null) {
                collect(failure(id, failure), bytes, null, false);
                return;
            }
            Answer.Builder message = Answer.newBuilder().setId(id);
            set.accept(message, answer);
            collect(message.build(), bytes, null, false);
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

    /** Takes an answer, on any thread, and the bytes that its call still takes. */
    private void collect(
            Answer answer, long bytesOfCall, @Nullable Delivery delivery, boolean list) {
        long bytes = bytes(answer);
        surroundings.memory.hold(bytes);
        ready.add(new Ready(answer, bytesOfCall + bytes, delivery, list));
        unsent.incrementAndGet();
        unsentBytes.addAndGet(answer.getSerializedSize());
        if (draining.compareAndSet(false, true)) {
            surroundings.loop.execute(this::drain);
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
        long memory = 0;
        while (answers < MOST_ANSWERS_IN_A_MESSAGE && bytes < MOST_BYTES_IN_A_MESSAGE) {
            Ready next = ready.poll();
            if (next == null) {
                break;
            }
            message.addAnswers(next.answer());
            bytes += next.answer().getSerializedSize();
            memory += next.bytes();
            answers++;
            handOver(next);
        }
        underWay -= answers;
        unsent.addAndGet(-answers);
        unsentBytes.addAndGet(-bytes);
        surroundings.memory.free(memory);
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
        surroundings.sessions.remove(this);
        putOff.clear();
        freeSent();
        Set<Delivery> lost = Set.copyOf(undelivered);
        undelivered.clear();
        lost.forEach(Delivery::lost);
    }
}
