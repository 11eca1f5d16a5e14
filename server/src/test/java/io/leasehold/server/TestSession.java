// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.grpc.CallCredentials;
import io.grpc.Channel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A client's end of a session. */
final class TestSession implements ClientResponseObserver<SessionRequest, SessionReply> {

    private final Map<Long, CompletableFuture<Answer>> awaited = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private final AtomicInteger messages = new AtomicInteger();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final boolean reading;
    private volatile ClientCallStreamObserver<SessionRequest> calls;

    @SuppressWarnings("NullAway.Init") // set by beforeStart, before anything else
    private TestSession(boolean reading) {
        this.reading = reading;
    }

    static TestSession on(Channel channel) {
        return on(LeasesGrpc.newStub(channel), true);
    }

    static TestSession on(Channel channel, CallCredentials credentials) {
        return on(LeasesGrpc.newStub(channel).withCallCredentials(credentials), true);
    }

    /** A session that reads nothing until it is told to. */
    static TestSession unread(Channel channel) {
        return on(LeasesGrpc.newStub(channel), false);
    }

    private static TestSession on(LeasesGrpc.LeasesStub calls, boolean reading) {
        TestSession session = new TestSession(reading);
        var unused = calls.session(session);
        return session;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<SessionRequest> stream) {
        calls = stream;
        if (!reading) {
            stream.disableAutoRequestWithInitial(0);
        }
    }

    @Override
    public void onNext(SessionReply reply) {
        messages.incrementAndGet();
        for (Answer answer : reply.getAnswersList()) {
            CompletableFuture<Answer> awaiting = awaited.remove(answer.getId());
            if (awaiting != null) {
                awaiting.complete(answer);
            }
        }
    }

    @Override
    public void onError(Throwable failure) {
        end.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
        end.complete(null);
    }

    /** Sends calls in one message, and gives the answers in the order of the calls. */
    List<CompletableFuture<Answer>> send(Call.Builder... made) {
        SessionRequest.Builder message = SessionRequest.newBuilder();
        List<CompletableFuture<Answer>> answers = new java.util.ArrayList<>();
        for (Call.Builder call : made) {
            call.setId(lastId.incrementAndGet());
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            answers.add(answer);
            awaited.put(call.getId(), answer);
            message.addCalls(call);
        }
        synchronized (this) {
            calls.onNext(message.build());
        }
        return answers;
    }

    Answer call(Call.Builder call) {
        return send(call).get(0).orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** How many messages came. */
    int messages() {
        return messages.get();
    }

    boolean canSend() {
        return calls.isReady();
    }

    void read(int more) {
        calls.request(more);
    }

    void finish() {
        calls.onCompleted();
    }

    void cancel() {
        calls.cancel("the test is over", null);
    }

    CompletableFuture<Void> end() {
        return end;
    }
}
