// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the server does for those who did not say who they are. */
final class StrangersTest {

    private static final byte[] EMPTY_MESSAGE = new byte[5];

    private final HttpClient client = HttpClient.newHttpClient();
    private TestServer server = TestServer.onMemory();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc+json", "grpc-web+json", "grpc-web", "grpc-web+proto"})
    void grpcInOtherFormatsThanProtobufIsRefusedUnread(String subtype) throws Exception {
        assertThat(info("application/" + subtype).statusCode()).isEqualTo(415);
    }

    @Test
    void grpcInProtobufIsServedByEitherOfItsNames() throws Exception {
        assertThat(info("application/grpc").statusCode()).isEqualTo(200);
        assertThat(info("application/grpc+proto").statusCode()).isEqualTo(200);
    }

    @Test
    void aJsonBodyIsNotWaitedForBeforeItsCallerIsKnown() throws IOException {
        String unused = askWhoTheyAre();
        assertThat(answer("POST /v1/acquire", "application/json", "{"))
                .startsWith("HTTP/1.1 401 ")
                .containsIgnoringCase("\r\nconnection: close\r\n");
    }

    @Test
    void aGrpcMessageIsNotWaitedForBeforeItsCallerIsKnown() throws IOException {
        String unused = askWhoTheyAre();
        assertThat(answer("POST /leasehold.v1.Leases/Acquire", "application/grpc", "\0"))
                .startsWith("HTTP/1.1 200 ")
                .contains("\r\ngrpc-status: 16\r\n");
    }

    @Test
    void aSignInThatFailedIsInTheAuditLogAndInTheMetrics() throws Exception {
        String admin = askWhoTheyAre();
        String guess = "lh_" + "0".repeat(admin.length() - 3);
        assertThat(get("/v1/info", guess).statusCode()).isEqualTo(401);
        assertThat(answer("POST /leasehold.v1.Leases/Acquire", "application/grpc", "\0"))
                .contains("grpc-status: 16");

        Path audit = directory.resolve("audit.log");
        Await.until(() -> read(audit).lines().count() == 2);
        assertThat(read(audit).lines())
                .allSatisfy(line -> assertThat(line)
                        .contains("\"what\":\"sign-in\"", "\"subject\":\"127.0.0.1\"")
                        .contains("\"outcome\":\"UNAUTHENTICATED\"")
                        .doesNotContain(guess));
        assertThat(get("/metrics", admin).body()).contains("leasehold_failed_sign_ins_total 2.0");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpResponse<String> get(String path, String token)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.server().port() + path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + token)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aJsonBodyThatDoesNotEndIsToldSoAfterTheTimeThatABodyHas() throws IOException {
        server.close();
        server = TestServer.start(TestServer.options("memory")
                .withLimits(EdgeLimits.defaults()
                        .withPatience(Duration.ofMinutes(1), Duration.ofMillis(200))));
        assertThat(answer("POST /v1/acquire", "application/json", "{")).startsWith("HTTP/1.1 408 ");
    }

    /** Starts a server with an administrator, and returns the administrator's token. */
    private String askWhoTheyAre() {
        server.close();
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String admin = file.create("ops", List.of(AccessRule.parse("*=admin")));
        server = TestServer.start(TestServer.options("memory")
                .withSecurity(new Security(
                        Optional.of(file.path()),
                        Optional.empty(),
                        Optional.of(directory.resolve("audit.log")),
                        false)));
        return admin;
    }

    /** The head of the answer to a request whose body does not go on behind its beginning. */
    private String answer(String line, String contentType, String beginning) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.server().port())) {
            socket.setSoTimeout(20_000);
            String request = String.join(
                    "\r\n",
                    line + " HTTP/1.1",
                    "Host: localhost",
                    "Content-Type: " + contentType,
                    "Content-Length: 200000",
                    "",
                    beginning);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = socket.getInputStream().read();
                assertThat(next).as("the byte after: %s", head).isNotNegative();
                head.append((char) next);
            }
            return head.toString();
        }
    }

    private HttpResponse<String> info(String contentType) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + server.server().port() + "/leasehold.v1.Leases/Info"))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", contentType)
                .POST(HttpRequest.BodyPublishers.ofByteArray(EMPTY_MESSAGE))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
