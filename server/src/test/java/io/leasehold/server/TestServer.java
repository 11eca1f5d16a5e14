// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.testkit.VirtualTime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A server at a port of its own, and clients of it. */
final class TestServer implements AutoCloseable {

    private final LeaseholdServer server;
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final ManagedChannel channel;

    private TestServer(LeaseholdServer server) {
        this.server = server;
        this.channel = connect();
    }

    static ServerOptions options(String store) {
        ServerOptions.Bounds usual = ServerOptions.Bounds.defaults();
        return ServerOptions.on(StoreAddress.parse(store))
                .withPort(0)
                .withBounds(
                        new ServerOptions.Bounds(usual.calls(), usual.namespaces(), Duration.ZERO));
    }

    static TestServer start(ServerOptions options) {
        return new TestServer(LeaseholdServer.start(options));
    }

    /** Clients of a server that runs, which is closed with them. */
    static TestServer of(LeaseholdServer server) {
        return new TestServer(server);
    }

    static TestServer onMemory() {
        return start(options("memory"));
    }

    LeaseholdServer server() {
        return server;
    }

    /** A connection of its own. */
    ManagedChannel connect() {
        ManagedChannel made = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        channels.add(made);
        return made;
    }

    LeasesGrpc.LeasesBlockingStub calls() {
        return LeasesGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    LeasesGrpc.LeasesFutureStub later() {
        return LeasesGrpc.newFutureStub(channel);
    }

    TestSession session() {
        return TestSession.on(channel);
    }

    ManagedChannel channel() {
        return channel;
    }

    /** Stops a server whose time is this one. */
    void closeIn(VirtualTime time) {
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(this::close);
        while (!stopped.isDone()) {
            time.advance(Duration.ofMillis(10));
            Await.aMoment();
        }
        stopped.join();
    }

    @Override
    public void close() {
        channels.forEach(ManagedChannel::shutdownNow);
        server.close();
    }
}
