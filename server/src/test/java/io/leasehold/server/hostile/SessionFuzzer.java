// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/** Makes wild calls on a session, many in a message, and counts what comes back. */
final class SessionFuzzer implements StreamObserver<SessionReply> {

    private static final int IN_A_MESSAGE = 100;
    private static final int UNDER_WAY = 2_000;

    private final Wild wild;
    private final Semaphore room = new Semaphore(UNDER_WAY);
    private final LongAdder answers = new LongAdder();
    private final LongAdder granted = new LongAdder();
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    /** How the calls were answered. */
    record Tally(long answers, long granted) {}

    SessionFuzzer(SplittableRandom random) {
        this.wild = new Wild(random);
    }

    Tally run(int port, int calls) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            StreamObserver<SessionRequest> out = LeasesGrpc.newStub(channel).session(this);
            for (int sent = 0; sent < calls && !end.isDone(); ) {
                SessionRequest.Builder message = SessionRequest.newBuilder();
                for (int i = 0; i < IN_A_MESSAGE && sent < calls; i++) {
                    message.addCalls(call(++sent));
                }
                room.acquireUninterruptibly(message.getCallsCount());
                out.onNext(message.build());
            }
            out.onCompleted();
            end.join();
            return new Tally(answers.sum(), granted.sum());
        } finally {
            channel.shutdownNow();
        }
    }

    @Override
    public void onNext(SessionReply reply) {
        for (Answer answer : reply.getAnswersList()) {
            answers.increment();
            if (answer.getAcquired().hasGranted()) {
                granted.increment();
            }
        }
        room.release(reply.getAnswersCount());
    }

    @Override
    public void onError(Throwable error) {
        end.completeExceptionally(error);
        room.release(UNDER_WAY);
    }

    @Override
    public void onCompleted() {
        end.complete(null);
    }

    // ---- calls

    private Call call(int id) {
        Call.Builder call = Call.newBuilder().setId(id);
        switch (wild.below(10)) {
            case 0, 1, 2 -> call.setAcquire(acquire());
            case 3 -> call.setWithdraw(acquire());
            case 4 -> call.setRenew(renewal());
            case 5 ->
                call.setRotate(RotateRequest.newBuilder()
                        .setNamespace(wild.namespace())
                        .setGrant(grant()));
            case 6 ->
                call.setRelease(ReleaseRequest.newBuilder()
                        .setNamespace(wild.namespace())
                        .setGrant(grant()));
            case 7 -> call.setComplete(completion());
            case 8 ->
                call.setList(ListRequest.newBuilder()
                        .setNamespace(wild.namespace())
                        .setOverlapping(wellFormed(wild.scope()))
                        .setAfter(wild.number())
                        .setLimit((int) wild.number()));
            default -> {
                if (wild.chance(2)) {
                    call.setForceRelease(ForceReleaseRequest.newBuilder()
                            .setScope(wellFormed(wild.scope()))
                            .setToken(wild.number())
                            .setComment(wellFormed(wild.text(20))));
                }
            }
        }
        return call.build();
    }

    private AcquireRequest acquire() {
        AcquireRequest.Builder request = AcquireRequest.newBuilder()
                .setNamespace(wild.namespace())
                .setLeaseId(wellFormed(wild.leaseId()))
                .setModeValue(wild.chance(10) ? (int) wild.number() : wild.below(2))
                .setHolder(wellFormed(wild.text(10)));
        for (int i = wild.chance(100) ? 200 : 1 + wild.below(2); i > 0; i--) {
            request.addScopes(wellFormed(wild.scope()));
        }
        if (wild.chance(3)) {
            request.setTtl(duration());
        }
        if (wild.chance(10)) {
            request.setLockDelay(duration());
        }
        if (wild.chance(10)) {
            request.setUnlessCompletedSince(wild.number());
        }
        if (wild.chance(20)) {
            request.setRecord(record());
        }
        return request.build();
    }

    private RenewRequest renewal() {
        RenewRequest.Builder request = RenewRequest.newBuilder().setNamespace(wild.namespace());
        for (int i = wild.chance(200) ? 1_500 : wild.below(3); i > 0; i--) {
            request.addRenewals(RenewRequest.Renewal.newBuilder()
                    .setGrant(grant())
                    .setTtl(duration())
                    .setExpectedVersion(wild.number()));
        }
        return request.build();
    }

    private CompleteRequest completion() {
        return CompleteRequest.newBuilder()
                .setNamespace(wild.namespace())
                .setGrant(grant())
                .setRecord(record())
                .setKeepFor(duration())
                .build();
    }

    private Grant grant() {
        return Grant.newBuilder()
                .addScopes(wellFormed(wild.scope()))
                .setToken(wild.number())
                .setLeaseId(wellFormed(wild.leaseId()))
                .build();
    }

    private Record record() {
        return Record.newBuilder()
                .setKindValue(wild.below(5))
                .setValue(ByteString.copyFrom(wild.bytes(wild.chance(100) ? 70_000 : 20)))
                .build();
    }

    private Duration duration() {
        return Duration.newBuilder()
                .setSeconds(wild.number())
                .setNanos((int) wild.number())
                .build();
    }

    /** The stub refuses to send what is no UTF-8. */
    private static String wellFormed(String text) {
        return text.replace("\ud800", "?");
    }
}
