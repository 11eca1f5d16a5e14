// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.seconds;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.TokenFile;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What strangers, a guest and a revoked principal do to a server, each again and again. */
final class SoakAttacks {

    /** One round of one attack. It may be refused in whatever way. */
    interface Attack {
        void once() throws IOException, InterruptedException;
    }

    static final String NAMESPACE = "guests";

    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final int LEASES = 2_000;
    private static final int NAMESPACES = 100;

    private final int port;
    private final TokenFile tokens;
    private final Bearer guest;
    private final HttpClient http = HttpClient.newHttpClient();
    private final AtomicInteger round = new AtomicInteger();

    SoakAttacks(int port, TokenFile tokens, String guest) {
        this.port = port;
        this.tokens = tokens;
        this.guest = new Bearer(guest);
    }

    Map<String, Attack> all() {
        Map<String, Attack> attacks = new LinkedHashMap<>();
        attacks.put("pipelined requests whose answers are not read", this::pipeline);
        attacks.put("bodies without a key", this::bodies);
        attacks.put("gRPC in JSON", this::json);
        attacks.put("lists in sessions", this::lists);
        attacks.put("one lease id on many names", this::names);
        attacks.put("watches", this::watches);
        attacks.put("marks in many namespaces", this::marks);
        attacks.put("checks over many leases", this::checks);
        attacks.put("a revoked principal that waits", this::revoked);
        return attacks;
    }

    // ---- strangers

    private void pipeline() throws IOException {
        byte[] requests = "GET /v1/info HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .repeat(1_000)
                .getBytes(StandardCharsets.US_ASCII);
        try (SocketChannel channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            channel.configureBlocking(false);
            int full = 0;
            for (int i = 0; i < 200 && full < 10; i++) {
                if (channel.write(ByteBuffer.wrap(requests)) == 0) {
                    full++;
                    RealTime.pass(Duration.ofMillis(10));
                }
            }
        }
    }

    private void bodies() throws IOException {
        byte[] begun =
                ("POST /v1/acquire HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                                + "\r\nContent-Length: 250000\r\n\r\n" + " ".repeat(100_000))
                        .getBytes(StandardCharsets.US_ASCII);
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(socket);
                socket.setSoTimeout(20_000);
                socket.getOutputStream().write(begun);
            }
            RealTime.pass(MOMENT);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private void json() throws IOException, InterruptedException {
        String body = "{\"token\":" + "9".repeat(1_000_000) + "}";
        for (String type : List.of("application/grpc+json", "application/grpc-web+json")) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/leasehold.v1.Leases/Check"))
                    .timeout(Duration.ofSeconds(60))
                    .header("Content-Type", type)
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
            http.send(request, HttpResponse.BodyHandlers.discarding());
        }
    }

    // ---- a guest

    private interface Use {
        void of(ManagedChannel channel) throws InterruptedException;
    }

    private void connected(Use use) throws InterruptedException {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            use.of(channel);
        } finally {
            channel.shutdownNow();
            boolean unused = channel.awaitTermination(20, TimeUnit.SECONDS);
        }
    }

    private LeasesGrpc.LeasesBlockingStub calls(ManagedChannel channel) {
        return LeasesGrpc.newBlockingStub(channel)
                .withCallCredentials(guest)
                .withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    /** Two sessions, of which one does not read its answers. */
    private void lists() throws InterruptedException {
        ListRequest list =
                ListRequest.newBuilder().setNamespace(NAMESPACE).setLimit(1_000).build();
        Call.Builder[] calls = new Call.Builder[5_000];
        Arrays.setAll(calls, i -> Call.newBuilder().setList(list));
        connected(channel -> {
            Channel asGuest = ClientInterceptors.intercept(channel, new AsGuest());
            var unused = TestSession.on(asGuest).send(calls);
            var unusedToo = TestSession.unread(asGuest).send(calls);
            RealTime.pass(MOMENT);
        });
    }

    private final class AsGuest implements ClientInterceptor {
        @Override
        public <A, B> ClientCall<A, B> interceptCall(
                MethodDescriptor<A, B> method, CallOptions options, Channel next) {
            return next.newCall(method, options.withCallCredentials(guest));
        }
    }

    private StreamObserver<SessionRequest> session(ManagedChannel channel) {
        return LeasesGrpc.newStub(channel)
                .withCallCredentials(guest)
                .session(new Ignored<SessionReply>());
    }

    private void names() throws InterruptedException {
        SessionRequest.Builder message = SessionRequest.newBuilder();
        for (int i = 0; i < 2_000; i++) {
            message.addCalls(Call.newBuilder()
                    .setId(i)
                    .setAcquire(shortLease("same-id-" + i)
                            .setLeaseId("f".repeat(32))
                            .setWait(seconds(i % 2 * 10))));
        }
        connected(channel -> {
            StreamObserver<SessionRequest> session = session(channel);
            session.onNext(message.build());
            RealTime.pass(MOMENT);
        });
    }

    private static AcquireRequest.Builder shortLease(String name) {
        return acquire(name).setNamespace(NAMESPACE).setTtl(seconds(1));
    }

    private void watches() throws InterruptedException {
        WatchRequest watch = WatchRequest.newBuilder().setNamespace(NAMESPACE).build();
        connected(channel -> {
            for (int i = 0; i < 150; i++) {
                LeasesGrpc.newStub(channel)
                        .withCallCredentials(guest)
                        .watch(watch, new Ignored<WatchReply>());
            }
            RealTime.pass(MOMENT);
        });
    }

    private void marks() throws InterruptedException {
        connected(channel -> {
            for (int i = 0; i < 20; i++) {
                int number = round.incrementAndGet() % NAMESPACES;
                AdmitRequest mark = AdmitRequest.newBuilder()
                        .setNamespace(NAMESPACE + "-" + number)
                        .setResource("resource")
                        .setToken(1)
                        .build();
                refusable(() -> calls(channel).admit(mark));
                refusable(() -> calls(channel).seal(mark));
            }
        });
    }

    /** By a limit, or because the principal is gone. */
    private static void refusable(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            Status.Code code = e.getStatus().getCode();
            if (code != Status.Code.RESOURCE_EXHAUSTED && code != Status.Code.UNAUTHENTICATED) {
                throw e;
            }
        }
    }

    /** Leases of the guest that stay, below one path. */
    void holdMany() throws InterruptedException {
        connected(channel -> {
            for (int i = 0; i < LEASES; i++) {
                AcquireRequest.Builder request = acquire("")
                        .clearScopes()
                        .addScopes("path:/guests/" + i)
                        .setNamespace(NAMESPACE)
                        .setTtl(seconds(3_600));
                if (!calls(channel).acquire(request.build()).hasGranted()) {
                    throw new AssertionError("the guest has no lease");
                }
            }
        });
    }

    private void checks() throws InterruptedException {
        connected(channel -> {
            for (int i = 0; i < 20; i++) {
                CheckRequest check = CheckRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setScope("subtree:/guests")
                        .setToken(LEASES)
                        .build();
                refusable(() -> calls(channel).check(check));
            }
        });
    }

    // ---- a principal that was revoked

    private void revoked() throws InterruptedException {
        Bearer key = new Bearer(
                tokens.create("gone", List.of(AccessRule.parse(NAMESPACE + "=acquire"))));
        connected(channel -> {
            LeasesGrpc.LeasesFutureStub later =
                    LeasesGrpc.newFutureStub(channel).withCallCredentials(key);
            for (int i = 0; i < 20; i++) {
                var unused = later.acquire(
                        shortLease("same-id-1").setWait(seconds(60)).build());
            }
            RealTime.pass(MOMENT);
            if (!tokens.revoke("gone")) {
                throw new AssertionError("there is no such principal");
            }
            for (int i = 0; i < 20; i++) {
                refusable(() -> LeasesGrpc.newBlockingStub(channel)
                        .withCallCredentials(key)
                        .withDeadlineAfter(60, TimeUnit.SECONDS)
                        .info(InfoRequest.getDefaultInstance()));
            }
        });
    }

    /** Answers that nobody wants. */
    private static final class Ignored<T> implements StreamObserver<T> {
        @Override
        public void onNext(T value) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }
}
