// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.SessionRequest;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A stream to an echo that all callers share, each message with a number. Thread-safe. */
final class EchoStream implements AutoCloseable, StreamObserver<SessionRequest> {

    private final ManagedChannel channel;
    private final StreamObserver<SessionRequest> out;
    private final AtomicLong last = new AtomicLong();
    private final ConcurrentHashMap<Long, CompletableFuture<Long>> waiting =
            new ConcurrentHashMap<>();

    EchoStream(int port) {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .build();
        out = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(Echo.STREAM, CallOptions.DEFAULT), this);
    }

    /** Sends a message as large as an acquire of the given name and waits until it is back. */
    void call(SessionRequest like) {
        long number = last.incrementAndGet();
        CompletableFuture<Long> back = new CompletableFuture<>();
        waiting.put(number, back);
        Call numbered = like.getCalls(0).toBuilder().setId(number).build();
        SessionRequest message = SessionRequest.newBuilder().addCalls(numbered).build();
        synchronized (out) {
            out.onNext(message);
        }
        back.join();
    }

    @Override
    public void onNext(SessionRequest message) {
        long number = message.getCalls(0).getId();
        CompletableFuture<Long> back = waiting.remove(number);
        if (back != null) {
            back.complete(number);
        }
    }

    @Override
    public void onError(Throwable error) {
        waiting.values().forEach(back -> back.completeExceptionally(error));
    }

    @Override
    public void onCompleted() {}

    @Override
    public void close() {
        out.onCompleted();
        channel.shutdownNow();
    }
}
