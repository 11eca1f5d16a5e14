// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.engine.StoreAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A server with TLS, as clients with and without certificates find it. */
final class TlsServerTest {

    private static final List<AccessRule> RULES =
            List.of(AccessRule.parse(MatrixRequests.NAMESPACE + "=acquire"));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private static Path directory;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static Certificates ours;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static Certificates strangers;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static LeaseholdServer server;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static String token;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private static String admin;

    @BeforeAll
    static void start() {
        ours = new Certificates(directory, "ours")
                .sign("server", "CN=localhost")
                .sign("orders", "CN=orders")
                .sign("unknown", "CN=unknown");
        strangers = new Certificates(directory, "strangers").sign("false-orders", "CN=orders");
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        token = file.create("by-token", RULES);
        admin = file.create("ops", List.of(AccessRule.parse("*=admin")));
        file.createForCertificate("orders", RULES);
        server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withSecurity(new Security(
                        Optional.of(file.path()),
                        Optional.of(new Security.Tls(
                                ours.certificate("server"),
                                ours.key("server"),
                                Optional.of(ours.authority()))),
                        Optional.of(directory.resolve("audit.log")),
                        false)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static <T> T with(
            ChannelCredentials credentials, Function<LeasesGrpc.LeasesBlockingStub, T> action) {
        ManagedChannel channel = Grpc.newChannelBuilderForAddress(
                        "localhost", server.port(), credentials)
                .build();
        try {
            return action.apply(
                    LeasesGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS));
        } finally {
            channel.shutdownNow();
        }
    }

    private static ChannelCredentials trusting(Certificates authority) throws IOException {
        return TlsChannelCredentials.newBuilder()
                .trustManager(authority.authority().toFile())
                .build();
    }

    private static ChannelCredentials certificate(Certificates by, String name) throws IOException {
        return TlsChannelCredentials.newBuilder()
                .trustManager(ours.authority().toFile())
                .keyManager(by.certificate(name).toFile(), by.key(name).toFile())
                .build();
    }

    private static Status.Code refusal(ChannelCredentials credentials) {
        return catchThrowableOfType(
                        StatusRuntimeException.class,
                        () -> with(
                                credentials, stub -> stub.info(InfoRequest.getDefaultInstance())))
                .getStatus()
                .getCode();
    }

    @Test
    void aCertificateOfOurAuthorityTellsWhoIsAsking() throws IOException {
        AcquireReply reply = with(
                certificate(ours, "orders"),
                stub -> stub.acquire(MatrixRequests.acquire("name:tls", 1)));
        assertThat(reply.hasGranted()).isTrue();
    }

    @Test
    void aTokenOverTlsDoesSoToo() throws IOException {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + token);
        AcquireReply reply = with(
                trusting(ours),
                stub -> stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .acquire(MatrixRequests.acquire("name:by-token", 2)));
        assertThat(reply.hasGranted()).isTrue();
    }

    @Test
    void withoutEitherNobodyIsKnown() throws IOException {
        assertThat(refusal(trusting(ours))).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(refusal(certificate(ours, "unknown"))).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void aCertificateOfAnotherAuthorityTellsNothingAlthoughItsNameIsKnown() throws IOException {
        // this client sees that its certificate is not asked for, and keeps it to itself
        assertThat(refusal(certificate(strangers, "false-orders")))
                .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    /** A client that shows its certificate whether or not it is asked for one of that authority. */
    @Test
    void whoInsistsOnACertificateOfAnotherAuthorityIsTurnedAway() throws Exception {
        try (SSLSocket socket = insisting(ours, "orders")) {
            assertThat(answersTo(socket)).isTrue();
        }
        try (SSLSocket socket = insisting(strangers, "false-orders")) {
            assertThat(answersTo(socket)).isFalse();
        }
    }

    private static SSLSocket insisting(Certificates by, String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        CertificateFactory certificates = CertificateFactory.getInstance("X.509");
        try (InputStream own = Files.newInputStream(by.certificate(name));
                InputStream authority = Files.newInputStream(ours.authority())) {
            String pem = Files.readString(by.key(name)).replaceAll("-----[A-Z ]+-----|\\s", "");
            PrivateKey key = KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
            store.setCertificateEntry("trusted", certificates.generateCertificate(authority));
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            X509Certificate[] chain = {(X509Certificate) certificates.generateCertificate(own)};
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    new KeyManager[] {new Insisting(key, chain)}, trust.getTrustManagers(), null);
            return (SSLSocket) context.getSocketFactory().createSocket("localhost", server.port());
        }
    }

    private static boolean answersTo(SSLSocket socket) {
        try {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Shows its one certificate to everyone. */
    private static final class Insisting extends X509ExtendedKeyManager {

        private final PrivateKey key;
        private final X509Certificate[] chain;

        Insisting(PrivateKey key, X509Certificate[] chain) {
            this.key = key;
            this.chain = chain;
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"own"};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return "own";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }

    @Test
    void aClientThatTrustsAnotherAuthorityRefusesTheServer() throws IOException {
        assertThat(refusal(trusting(strangers))).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void nothingIsSaidInTheClear() {
        assertThat(refusal(InsecureChannelCredentials.create())).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void aHandshakeThatFailsIsInTheAuditLogAndInTheMetrics() throws Exception {
        ListAppender<ILoggingEvent> others = new ListAppender<>();
        others.start();
        Logger armeria = (Logger) LoggerFactory.getLogger(
                "com.linecorp.armeria.server.HttpServerPipelineConfigurator");
        armeria.addAppender(others);
        try (Socket socket = new Socket("localhost", server.port())) {
            String request = "GET /v1/info HTTP/1.1\r\nAuthorization: Bearer secret\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            byte[] unused = socket.getInputStream().readAllBytes(); // an alert, perhaps
        }
        Path audit = directory.resolve("audit.log");
        Await.until(() -> text(audit).contains("this is not TLS"));
        assertThat(text(audit).lines().filter(line -> line.contains("this is not TLS")))
                .allSatisfy(line -> assertThat(line)
                        .contains("\"what\":\"handshake\"", "\"subject\":\"127.0.0.1\"")
                        .doesNotContain("736563726574")); // "secret"
        armeria.detachAppender(others);
        assertThat(others.list)
                .as("lines of its own for each")
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(line -> line.contains("TLS handshake") || line.contains("Unexpected"));
        assertThat(metrics()).containsPattern("leasehold_failed_handshakes_total [1-9]");
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String metrics() throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(ours.authority())) {
            trusted.setCertificateEntry(
                    "ours", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("https://localhost:" + server.port() + "/metrics"))
                .header("Authorization", "Bearer " + admin)
                .build();
        return HttpClient.newBuilder()
                .sslContext(tls)
                .build()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void anAddressThatOthersReachIsRefusedInTheClear() {
        ServerOptions open = ServerOptions.on(new StoreAddress.Memory())
                .withListen(new ServerOptions.Listen("0.0.0.0", 0));
        assertThatThrownBy(() -> LeaseholdServer.start(open))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--insecure");
        LeaseholdServer.start(open.withSecurity(
                        new Security(Optional.empty(), Optional.empty(), Optional.empty(), true)))
                .close();
    }
}
