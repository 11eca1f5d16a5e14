// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.TokenFile;
import io.leasehold.testkit.RealTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A small server, an owner who holds the lock "held" there, and connections of a reader, a guest who
 * may acquire, and strangers, which stay open until the end.
 */
final class AttackedServer implements AutoCloseable {

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final SmallServer server;
    private final String owner;
    private final String reader;
    private final String guest;
    private final ManagedChannel first;
    private final Grant held;

    /** With so many MiB of heap. It waits longer than any test for whoever is slow. */
    AttackedServer(Path directory, int heap) {
        TokenFile tokens = TokenFile.at(directory.resolve("tokens"));
        owner = tokens.create("owner", List.of(AccessRule.parse("*=admin")));
        reader = tokens.create("reader", List.of(AccessRule.parse("*=read")));
        guest = tokens.create("guest", List.of(AccessRule.parse("*=acquire")));
        server = SmallServer.startPatient(directory, heap, tokens.path());
        first = channel();
        held = grant(owner().acquire(acquire("held").setTtl(seconds(3_600)).build()));
    }

    SmallServer.Memory memory() {
        return server.memory();
    }

    String reader() {
        return reader;
    }

    String guest() {
        return guest;
    }

    LeasesGrpc.LeasesBlockingStub owner() {
        return calls(first, owner);
    }

    LeasesGrpc.LeasesBlockingStub calls(Channel channel, String key) {
        return LeasesGrpc.newBlockingStub(channel)
                .withCallCredentials(new Bearer(key))
                .withDeadlineAfter(RealTime.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private record OpenChannel(ManagedChannel channel) implements AutoCloseable {
        @Override
        public void close() {
            channel.shutdownNow();
        }
    }

    ManagedChannel channel() {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        opened.add(new OpenChannel(channel));
        return channel;
    }

    /** Shows the key with each call. */
    static Channel identified(ManagedChannel channel, String key) {
        return ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(bearer(key)));
    }

    static Metadata bearer(String key) {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + key);
        return headers;
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        opened.add(socket);
        return socket;
    }

    /** The lock is renewed again and again. How soon, {@link SoakTest} asks. */
    void assertThatHoldersAreServed() {
        for (int i = 0; i < 100; i++) {
            assertThat(server.isAlive()).as(server.errors()).isTrue();
            assertThat(renewed().getOutcomes(0).hasRenewed()).isTrue();
        }
        assertThat(server.errors()).doesNotContain("OutOfMemory", "OutOfDirectMemory");
    }

    private RenewReply renewed() {
        try {
            return owner().renew(renew(held));
        } catch (StatusRuntimeException e) {
            throw new AssertionError(
                    (server.isAlive() ? "not renewed" : "the server has ended") + "; it says: "
                            + server.errors(),
                    e);
        }
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
        server.close();
    }
}
