// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdministrationGrpc;
import io.leasehold.protocol.v1.CreateTokenReply;
import io.leasehold.protocol.v1.CreateTokenRequest;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RevokeTokenRequest;
import io.leasehold.protocol.v1.TokenRule;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.server.engine.StoreAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the server takes from the network, and what it writes down, over real sockets. */
final class EdgeTest {

    private static final EdgeLimits TIGHT = EdgeLimits.defaults()
            .withConnections(8)
            .withPrincipal(new EdgeLimits.PerPrincipal(3, 100, 2, 2))
            .withPatience(Duration.ofSeconds(1), Duration.ofSeconds(1));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private LeaseholdServer start(Security security) {
        LeaseholdServer server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withLimits(TIGHT)
                .withSecurity(security));
        opened.add(server);
        return server;
    }

    private ManagedChannel channel(LeaseholdServer server) {
        ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
        opened.add(channel::shutdownNow);
        return channel;
    }

    private static <S extends io.grpc.stub.AbstractStub<S>> S as(String token, S stub) {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + token);
        return stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    private Socket connect(LeaseholdServer server) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(20_000);
        opened.add(socket);
        return socket;
    }

    /** Whether the other side ends the connection, before the socket's time-out does. */
    private static boolean isEnded(Socket socket) {
        try {
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // an answer may come before the end
            }
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    @Test
    void connectionsThatSayNothingOrHalfOfItAreClosedAndOthersServedMeanwhile() throws IOException {
        LeaseholdServer server = start(Security.open());
        Socket silent = connect(server);
        Socket halfALine = connect(server);
        write(halfALine, "GE");
        Socket halfAHeader = connect(server);
        write(halfAHeader, "GET /v1/info HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
        Socket halfAPreface = connect(server);
        write(halfAPreface, "PRI * HTTP/2.0\r\n");
        Socket halfABody = connect(server);
        write(
                halfABody,
                "POST /leasehold.v1.Leases/Acquire HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/grpc\r\nContent-Length: 1000\r\n\r\nabc");
        assertThat(LeasesGrpc.newBlockingStub(channel(server))
                        .info(InfoRequest.getDefaultInstance())
                        .getEngine())
                .isEqualTo("memory");
        assertThat(isEnded(silent)).as("silent").isTrue();
        assertThat(isEnded(halfALine)).as("half a line").isTrue();
        assertThat(isEnded(halfAHeader)).as("half a header").isTrue();
        assertThat(isEnded(halfAPreface)).as("half a preface").isTrue();
        assertThat(isEnded(halfABody)).as("half a body").isTrue();
    }

    @Test
    void moreConnectionsThanAllowedAreClosed() throws IOException {
        LeaseholdServer server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withLimits(TIGHT.withPatience(Duration.ofSeconds(60), Duration.ofSeconds(60))));
        opened.add(server);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Socket socket = connect(server);
            socket.setSoTimeout(1_000);
            sockets.add(socket);
        }
        assertThat(sockets.stream().filter(EdgeTest::isEnded).count()).isEqualTo(12);
    }

    @Test
    void aPrincipalsLeasesAreBoundedAndARevokedOneIsOut() throws IOException {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String admin = file.create("ops", List.of(AccessRule.parse("*=admin")));
        Path audit = directory.resolve("audit.log");
        LeaseholdServer server = start(new Security(
                Optional.of(file.path()), Optional.empty(), Optional.of(audit), false));
        ManagedChannel channel = channel(server);
        AdministrationGrpc.AdministrationBlockingStub administration =
                as(admin, AdministrationGrpc.newBlockingStub(channel));
        CreateTokenReply made = administration.createToken(CreateTokenRequest.newBuilder()
                .setName("orders")
                .addRules(TokenRule.newBuilder()
                        .setNamespaces(MatrixRequests.NAMESPACE)
                        .addPermissions(TokenRule.Permission.ACQUIRE))
                .build());
        LeasesGrpc.LeasesBlockingStub orders =
                as(made.getToken(), LeasesGrpc.newBlockingStub(channel));
        AcquireReply first = orders.acquire(MatrixRequests.acquire("name:a-1", 1));
        for (int i = 2; i <= 3; i++) {
            assertThat(orders.acquire(MatrixRequests.acquire("name:a-" + i, i)).hasGranted())
                    .isTrue();
        }
        assertThat(code(() -> orders.acquire(MatrixRequests.acquire("name:a-4", 4))))
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(code(() -> orders.forceRelease(ForceReleaseRequest.getDefaultInstance())))
                .isNotEqualTo(Status.Code.OK);

        var unused = as(admin, LeasesGrpc.newBlockingStub(channel))
                .forceRelease(ForceReleaseRequest.newBuilder()
                        .setNamespace(MatrixRequests.NAMESPACE)
                        .setScope("name:a-1")
                        .setToken(first.getGranted().getHolding().getToken())
                        .setComment("stuck\n{\"forged\":1}")
                        .build());
        assertThat(administration
                        .revokeToken(RevokeTokenRequest.newBuilder()
                                .setName("orders")
                                .build())
                        .getRevoked())
                .isTrue();
        assertThat(code(() -> orders.info(InfoRequest.getDefaultInstance())))
                .isEqualTo(Status.Code.UNAUTHENTICATED);

        List<String> lines = Files.readAllLines(audit).stream()
                .filter(line -> !line.contains("\"what\":\"sign-in\"")) // may come later
                .toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).contains("\"who\":\"ops\"", "create-token", "orders", "done");
        assertThat(lines.get(1)).contains("\"who\":\"orders\"", "force-release");
        assertThat(lines.get(2)).contains("\"who\":\"ops\"", "name:a-1", "stuck\\u000a", "done");
        assertThat(lines.get(3)).contains("revoke-token", "done");
        assertThat(String.join("\n", lines))
                .doesNotContain(made.getToken(), admin, first.getGranted().getLeaseId());
    }

    @Test
    void oneWhoMayReadNothingCantKeepOthersFromWatching() {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String admin = file.create("ops", List.of(AccessRule.parse("*=admin")));
        String guest = file.create("guest", List.of(AccessRule.parse("elsewhere=acquire")));
        ServerOptions.Bounds usual = ServerOptions.Bounds.defaults();
        LeaseholdServer server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withLimits(TIGHT)
                .withBounds(new ServerOptions.Bounds(
                        new OperationsOptions.Bounds(9, 9, 9, 2, 16, Duration.ofSeconds(5)),
                        usual.namespaces(),
                        usual.drain()))
                .withSecurity(new Security(
                        Optional.of(file.path()), Optional.empty(), Optional.empty(), false)));
        opened.add(server);
        ManagedChannel channel = channel(server);
        LeasesGrpc.LeasesBlockingStub stranger = as(guest, LeasesGrpc.newBlockingStub(channel));
        for (int i = 0; i < 2; i++) {
            assertThat(stranger.watch(WatchRequest.getDefaultInstance()).next().hasStarted())
                    .isTrue();
        }

        assertThat(code(() -> stranger.watch(WatchRequest.getDefaultInstance()).next()))
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(as(admin, LeasesGrpc.newBlockingStub(channel))
                        .watch(WatchRequest.getDefaultInstance())
                        .next()
                        .hasStarted())
                .isTrue();
    }

    @Test
    void oneSessionTooManyOfAPrincipalIsRefusedUntilOneEndsAndOthersAreNot() {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String guest = file.create("guest", List.of(AccessRule.parse("*=acquire")));
        String other = file.create("other", List.of(AccessRule.parse("*=acquire")));
        LeaseholdServer server = start(
                new Security(Optional.of(file.path()), Optional.empty(), Optional.empty(), false));
        TestSession first = session(server, guest);
        TestSession second = session(server, guest);
        assertThat(answered(first)).isTrue();
        assertThat(answered(second)).isTrue();

        TestSession third = session(server, guest);
        assertThatThrownBy(() -> third.end().get(30, TimeUnit.SECONDS))
                .hasMessageContaining("RESOURCE_EXHAUSTED")
                .hasMessageContaining("guest has 2 sessions open, which is the most");
        assertThat(answered(session(server, other))).isTrue();

        first.finish();
        assertThat(first.end()).succeedsWithin(Duration.ofSeconds(30));
        assertThat(answered(session(server, guest))).isTrue();
        assertThat(answered(second)).isTrue();
    }

    private TestSession session(LeaseholdServer server, String key) {
        return TestSession.on(channel(server), new Bearer(key));
    }

    private static boolean answered(TestSession session) {
        return session.call(Requests.call(Requests.acquire("lock"))).hasAcquired();
    }

    @Test
    void aWatchEndsWithThePermissionToRead() {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String admin = file.create("ops", List.of(AccessRule.parse("*=admin")));
        String reader = file.create(
                "reader", List.of(AccessRule.parse(MatrixRequests.NAMESPACE + "=read")));
        LeaseholdServer server = start(
                new Security(Optional.of(file.path()), Optional.empty(), Optional.empty(), false));
        ManagedChannel channel = channel(server);
        LeasesGrpc.LeasesBlockingStub ops = as(admin, LeasesGrpc.newBlockingStub(channel));
        Iterator<WatchReply> events = as(reader, LeasesGrpc.newBlockingStub(channel))
                .watch(WatchRequest.newBuilder()
                        .setNamespace(MatrixRequests.NAMESPACE)
                        .build());
        assertThat(events.next().hasStarted()).isTrue();
        assertThat(ops.acquire(MatrixRequests.acquire("name:before", 1)).hasGranted())
                .isTrue();
        assertThat(events.next().hasChanged()).isTrue();

        assertThat(as(admin, AdministrationGrpc.newBlockingStub(channel))
                        .revokeToken(RevokeTokenRequest.newBuilder()
                                .setName("reader")
                                .build())
                        .getRevoked())
                .isTrue();
        assertThat(ops.acquire(MatrixRequests.acquire("name:after", 2)).hasGranted())
                .isTrue();

        assertThat(code(events::next)).isEqualTo(Status.Code.PERMISSION_DENIED);
    }

    @Test
    void aPrincipalRevokedWhileItWaitsIsNotGrantedTheLock() {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String admin = file.create("ops", List.of(AccessRule.parse("*=admin")));
        String guest = file.create(
                "guest", List.of(AccessRule.parse(MatrixRequests.NAMESPACE + "=acquire")));
        ManagedChannel channel = channel(start(
                new Security(Optional.of(file.path()), Optional.empty(), Optional.empty(), false)));
        LeasesGrpc.LeasesBlockingStub ops = as(admin, LeasesGrpc.newBlockingStub(channel));
        AcquireReply held = ops.acquire(MatrixRequests.acquire("name:lock", 1));
        var waiting = as(guest, LeasesGrpc.newFutureStub(channel))
                .acquire(MatrixRequests.acquire("name:lock", 2).toBuilder()
                        .setWait(Requests.seconds(600))
                        .build());
        Await.until(() -> ops.list(ListRequest.newBuilder()
                                .setNamespace(MatrixRequests.NAMESPACE)
                                .build())
                        .getLeases(0)
                        .getWaiters()
                == 1);

        assertThat(as(admin, AdministrationGrpc.newBlockingStub(channel))
                        .revokeToken(
                                RevokeTokenRequest.newBuilder().setName("guest").build())
                        .getRevoked())
                .isTrue();
        assertThat(ops.release(ReleaseRequest.newBuilder()
                                .setNamespace(MatrixRequests.NAMESPACE)
                                .setGrant(Requests.grant(held))
                                .build())
                        .hasEnded())
                .isTrue();

        assertThatThrownBy(waiting::get).hasMessageContaining("PERMISSION_DENIED");
        assertThat(ops.acquire(MatrixRequests.acquire("name:lock", 3)).hasGranted())
                .isTrue();
    }

    private static Status.Code code(Runnable call) {
        StatusRuntimeException failed =
                catchThrowableOfType(StatusRuntimeException.class, call::run);
        assertThat(failed).isNotNull();
        return failed.getStatus().getCode();
    }
}
