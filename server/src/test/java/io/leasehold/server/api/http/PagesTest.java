// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static io.leasehold.server.api.http.Web.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.leasehold.protocol.v1.LeaseholdProto;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What there is besides the operations, and what there is not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PagesTest {

    private static final int LONG = 16 << 10;

    private final Web web = Web.start();

    @AfterAll
    void stop() {
        web.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/lease", "/v1/lease?scope=name:orders"})
    void theListOfOneScopeIsFoundUnderItsOneName(String path) {
        HttpResponse<String> response = web.get(path);

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(json(response).get("detail").asText()).contains("/v1/leases?overlapping=");
    }

    @Test
    void healthIsForEverybodyAndTurnsAtOnce() {
        HttpResponse<String> well =
                web.send(web.request("/health").header("Authorization", "Bearer nobody"));
        assertThat(well.statusCode()).isEqualTo(200);
        assertThat(json(well).get("status").asText()).isEqualTo("SERVING");

        web.serving.set(false);
        HttpResponse<String> stopping = web.get("/health");
        assertThat(stopping.statusCode()).isEqualTo(503);
        assertThat(json(stopping).get("reason").asText()).isEqualTo("UNAVAILABLE");
        assertThat(web.get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(web.get("/health/live").statusCode()).isEqualTo(200);
        web.serving.set(true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/docs", "/docs/leasehold.proto", "/metrics"})
    void theRestIsForThoseWhoSayWhoTheyAre(String path) {
        HttpResponse<String> unknown =
                web.send(web.request(path).header("Authorization", "Bearer nobody"));
        assertThat(unknown.statusCode()).isEqualTo(401);
        assertThat(web.get(path).statusCode()).isEqualTo(200);
        assertThat(web.post(path, "{}").statusCode()).isEqualTo(405);
        HttpResponse<String> head =
                web.send(web.request(path).method("HEAD", BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(web.get(path).headers().firstValue("x-content-type-options"))
                .contains("nosniff");
    }

    @Test
    void metricsAreForThoseWhoAdministerAllNamespaces() {
        HttpResponse<String> reader =
                web.send(web.request("/metrics").header("Authorization", "Bearer reader"));
        assertThat(reader.statusCode()).isEqualTo(403);
        assertThat(json(reader).get("reason").asText()).isEqualTo("PERMISSION_DENIED");
        assertThat(web.get("/metrics").body()).contains("leasehold_watches 0.0", "jvm_memory_used");
    }

    @Test
    void thePageTellsEveryCallAndEveryMessageWithItsComment() {
        String page = web.get("/docs").body();
        for (ServiceDescriptor service : LeaseholdProto.getDescriptor().getServices()) {
            for (MethodDescriptor method : service.getMethods()) {
                Endpoint.rule(method)
                        .ifPresent(rule -> assertThat(page)
                                .contains(Endpoint.verb(rule) + " " + Endpoint.path(rule)
                                        + "</h2><p>")
                                .doesNotContain(Endpoint.verb(rule) + " " + Endpoint.path(rule)
                                        + "</h2><p></p>"));
            }
        }
        for (Descriptor message : LeaseholdProto.getDescriptor().getMessageTypes()) {
            assertThat(page).contains("id=\"" + message.getFullName() + "\"");
        }
        assertThat(page)
                .contains(
                        "Asks for a lease, queueing for as long as the request says.",
                        "<code>leaseId</code><td>string<td>Over HTTP it may be left out",
                        "<code>EXPIRED</code>")
                .doesNotContain("<script");
        assertThat(web.get("/docs")
                        .headers()
                        .firstValue("content-security-policy")
                        .orElse(""))
                .startsWith("default-src 'none'")
                .contains("style-src 'sha256-");
    }

    @Test
    void theProtocolIsThereAsItWasWritten() {
        assertThat(web.get("/docs/leasehold.proto").body())
                .startsWith("// SPDX-License-Identifier: Apache-2.0")
                .contains("rpc Acquire(AcquireRequest) returns (AcquireReply)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1",
                "/v1/",
                "/v1/acquire/",
                "/v1/nothing",
                "/docs/x",
                "/favicon.ico",
                "/leasehold.v1.Leases/Acquire"
            })
    void whereThereIsNoRouteThatIsSaid(String path) {
        HttpResponse<String> response = web.get(path);
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.headers().firstValue("content-type"))
                .contains("application/problem+json");
        assertThat(json(response).get("reason").asText()).isEqualTo("NO_SUCH_ROUTE");
    }

    @Test
    void aHeaderThatIsTooLargeIsRefused() {
        HttpResponse<String> response =
                web.send(web.request("/v1/info").header("X-Long", "x".repeat(LONG)));
        assertThat(response.statusCode()).isEqualTo(431);
        assertThat(json(response).get("reason").asText()).isEqualTo("TOO_LARGE");
        HttpResponse<String> address = web.get("/v1/leases?overlapping=" + "x".repeat(LONG));
        assertThat(address.statusCode()).isEqualTo(414);
    }

    @Test
    void aBodyThatGrowsTooLargeWithoutSayingSoIsRefused() throws IOException {
        try (Socket socket = web.connect()) {
            OutputStream out = socket.getOutputStream();
            String head = String.join(
                    "\r\n",
                    "POST /v1/acquire HTTP/1.1",
                    "Host: localhost",
                    "Content-Type: application/json",
                    "Transfer-Encoding: chunked",
                    "",
                    "");
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            String chunk = "1000\r\n" + "x".repeat(4096) + "\r\n";
            for (int i = 0; i <= HttpRoutes.MAX_BODY / 4096; i++) {
                out.write(chunk.getBytes(StandardCharsets.US_ASCII));
            }
            out.flush();
            InputStream in = socket.getInputStream();
            String answer = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(answer).isEqualTo("HTTP/1.1 413");
        }
    }

    @Test
    void whatIsNotARequestIsRefused() throws IOException {
        try (Socket socket = web.connect()) {
            OutputStream out = socket.getOutputStream();
            out.write("GET /v1/info\u0000 HTTP/1.1\r\nContent-Length: -1\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            String answer =
                    new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(answer).isEqualTo("HTTP/1.1 400");
        }
    }

    @Test
    void aServerForStrangersAnswersOnlyToTheAddressOfItsMachine() throws IOException {
        assertThat(status(web, "evil.example")).isEqualTo("HTTP/1.1 200");
        try (Web strangers = Web.forStrangers()) {
            assertThat(status(strangers, "evil.example")).isEqualTo("HTTP/1.1 421");
            assertThat(status(strangers, "localhost")).isEqualTo("HTTP/1.1 200");
            assertThat(status(strangers, "127.0.0.1:5327")).isEqualTo("HTTP/1.1 200");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost:5327", "LOCALHOST", "[::1]:5327", "127.0.0.1", "a.localhost"})
    void namesOfThisMachineAreLocal(String authority) {
        assertThat(HostCheck.isLocal(authority)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example:5327",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "[evil.example]",
                "[evil.example]:5327",
                "[::1].evil.example",
                "[::1"
            })
    void otherNamesAreNot(String authority) {
        assertThat(HostCheck.isLocal(authority)).isFalse();
    }

    @Test
    void aRequestWithTwoHostsIsRefusedInEitherOrder() throws IOException {
        try (Web strangers = Web.forStrangers()) {
            for (Web each : List.of(web, strangers)) {
                assertThat(status(each, "localhost\r\nHost: evil.example"))
                        .isEqualTo("HTTP/1.1 400");
                assertThat(status(each, "evil.example\r\nHost: localhost"))
                        .isEqualTo("HTTP/1.1 400");
            }
        }
    }

    private static String status(Web web, String host) throws IOException {
        try (Socket socket = web.connect()) {
            String request = String.join("\r\n", "GET /health HTTP/1.1", "Host: " + host, "", "");
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        }
    }
}
