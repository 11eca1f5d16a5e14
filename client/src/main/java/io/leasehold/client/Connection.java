// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.leasehold.model.LeaseholdException;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one server, from the first question (who are you?) to its end. It is up when that
 * was answered, since then the way there and back works and the server knows who is asking. Used by
 * the store's thread only.
 */
final class Connection {

    /** Who is told, on the store's thread, and never after {@link #close}. */
    interface Events {

        void up(Connection connection, InfoReply info);

        /** It never came up, or broke; close it. */
        void down(Connection connection, LeaseholdException why);
    }

    private static final System.Logger LOG = System.getLogger(RemoteLeaseStore.class.getName());

    private final RemoteAddress.Server server;
    private final ManagedChannel channel;
    private final Loop loop;
    private final Events events;
    private boolean closed;
    private @Nullable Status leaving;
    private int givingBack;

    private Connection(
            RemoteAddress.Server server, ManagedChannel channel, Loop loop, Events events) {
        this.server = server;
        this.channel = channel;
        this.loop = loop;
        this.events = events;
    }

    static Connection open(
            RemoteAddress.Server server, ManagedChannel channel, Loop loop, Events events) {
        return new Connection(server, channel, loop, events);
    }

    /** Asks the server who it is. */
    void greet(String namespace) {
        InfoRequest request = InfoRequest.newBuilder().setNamespace(namespace).build();
        ClientCalls.asyncUnaryCall(
                channel.newCall(LeasesGrpc.getInfoMethod(), CallOptions.DEFAULT),
                request,
                new Greeting());
    }

    RemoteAddress.Server server() {
        return server;
    }

    Channel channel() {
        return channel;
    }

    /** The stream has ended, or the server has been silent for too long. */
    void broken(Status status) {
        if (!closed) {
            events.down(this, harmless(status, new Metadata()));
        }
    }

    /** Gives back what was granted there and is not wanted; {@link #leave} waits for the answer. */
    void giveBack(AcquireRequest granted, Duration patience) {
        givingBack++;
        CallOptions bounded =
                CallOptions.DEFAULT.withDeadlineAfter(patience.toMillis(), TimeUnit.MILLISECONDS);
        ClientCalls.asyncUnaryCall(
                channel.newCall(LeasesGrpc.getWithdrawMethod(), bounded), granted, new GivenBack());
    }

    /** Ends it as broken, behind what has come already, and when all is given back. */
    void leave(Status why) {
        if (leaving == null) {
            leaving = why;
            boolean unused = loop.later(this::leaveNow);
        }
    }

    private void leaveNow() {
        Status why = leaving;
        if (why != null && givingBack == 0) {
            broken(why);
        }
    }

    /** The answer to a request that was taken back. */
    private final class GivenBack implements StreamObserver<EndReply> {

        @Override
        public void onNext(EndReply reply) {}

        @Override
        public void onError(Throwable error) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    server + " could not take back a lease that is not wanted: it ends by itself",
                    error);
            onCompleted();
        }

        @Override
        public void onCompleted() {
            loop.run(() -> {
                givingBack--;
                leaveNow();
            });
        }
    }

    private LeaseholdException harmless(Status status, Metadata trailers) {
        return Failures.harmless("no connection to " + server, status, trailers);
    }

    /** Idempotent. */
    void close() {
        closed = true;
        channel.shutdownNow();
    }

    /** The answer to the first question. */
    private final class Greeting implements StreamObserver<InfoReply> {

        private @Nullable InfoReply info;

        @Override
        public void onNext(InfoReply reply) {
            info = reply;
        }

        @Override
        public void onError(Throwable error) {
            Status status = Status.fromThrowable(error);
            Metadata trailers = Status.trailersFromThrowable(error);
            Metadata known = trailers == null ? new Metadata() : trailers;
            loop.run(() -> {
                if (!closed) {
                    events.down(Connection.this, harmless(status, known));
                }
            });
        }

        @Override
        public void onCompleted() {
            InfoReply reply = info;
            if (reply == null) {
                onError(new StatusRuntimeException(
                        Status.INTERNAL.withDescription("an answer without a message")));
                return;
            }
            loop.run(() -> {
                if (!closed) {
                    events.up(Connection.this, reply);
                }
            });
        }
    }
}
