// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.testkit.RealTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What strangers, who have no key, do to a server: one round of each. */
final class SoakStrangers {

    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Duration UNREAD = Duration.ofSeconds(5);
    private static final int BODY = 250_000;

    private final int port;
    private final HttpClient http = HttpClient.newHttpClient();

    SoakStrangers(int port) {
        this.port = port;
    }

    /** Requests whose answers are not read, 200,000 unless the server stops reading them. */
    void pipeline() throws IOException {
        byte[] requests = "GET /v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .repeat(1_000)
                .getBytes(StandardCharsets.US_ASCII);
        try (SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            channel.configureBlocking(false);
            ByteBuffer rest = ByteBuffer.wrap(requests);
            for (int sent = 0, stalled = 0; sent < 200 && stalled < 100; stalled++) {
                if (channel.write(rest) > 0) {
                    stalled = 0;
                } else {
                    RealTime.pass(Duration.ofMillis(20));
                }
                if (!rest.hasRemaining()) {
                    rest.rewind();
                    sent++;
                }
            }
            RealTime.pass(UNREAD); // they are in the buffers of the network, most of them
        }
    }

    void bodies() throws IOException {
        begin("/v1/acquire", "application/json", new byte[100_000]);
    }

    /** The beginning of a gRPC message that goes to the end of the body. */
    void messages() throws IOException {
        byte[] begun = new byte[100_000];
        ByteBuffer.wrap(begun).put((byte) 0).putInt(BODY - 5);
        begin("/leasehold.v1.Leases/Acquire", "application/grpc", begun);
    }

    private void begin(String path, String type, byte[] begun) throws IOException {
        byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type
                        + "\r\nContent-Length: " + BODY + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.getOutputStream().write(head);
                socket.getOutputStream().write(begun);
            }
            RealTime.pass(MOMENT);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Whole messages on one connection. */
    void calls() throws InterruptedException {
        new SoakGuest(port, "nobody").connected(channel -> {
            LeasesGrpc.LeasesBlockingStub calls =
                    LeasesGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
            String endless = "x".repeat(BODY);
            for (int i = 0; i < 10; i++) {
                try {
                    var unused =
                            calls.acquire(acquire("held-0").setHolder(endless).build());
                    throw new AssertionError("a stranger was answered");
                } catch (StatusRuntimeException e) {
                    if (e.getStatus().getCode() != Status.Code.UNAUTHENTICATED) {
                        throw e;
                    }
                }
            }
        });
    }

    /** The formats of gRPC that are not served: a long number takes long to read. */
    void json() throws IOException, InterruptedException {
        json("nobody");
    }

    void json(String key) throws IOException, InterruptedException {
        byte[] text = ("{\"token\":\"" + "9".repeat(1_000_000) + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] message = ByteBuffer.allocate(5 + text.length)
                .put((byte) 0)
                .putInt(text.length)
                .put(text)
                .array();
        for (String type : List.of("application/grpc+json", "application/grpc-web+json")) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/leasehold.v1.Leases/Check"))
                    .timeout(Duration.ofSeconds(60))
                    .header("Content-Type", type)
                    .header("Authorization", "Bearer " + key)
                    .POST(HttpRequest.BodyPublishers.ofByteArray(message))
                    .build();
            http.send(request, HttpResponse.BodyHandlers.discarding());
        }
    }
}
