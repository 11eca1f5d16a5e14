// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.server.access.Security;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The id by which a request is found again in the server's log. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RequestIdsTest {

    private static final String MINTED = "[0-9a-f]{16}";

    private Path audit;
    private TestServer server;

    @SuppressWarnings("NullAway.Init")
    RequestIdsTest() {}

    @BeforeAll
    void start(@TempDir Path directory) {
        audit = directory.resolve("audit.log");
        server = TestServer.start(TestServer.options("memory")
                .withSecurity(new Security(
                        Optional.empty(), Optional.empty(), Optional.of(audit), false)));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/info, 200",
        "GET, /v1/leases, 200",
        "GET, /health/live, 200",
        "GET, /, 200",
        "GET, /nothing, 404",
        "POST, /v1/leases, 405",
        "OPTIONS, /v1/leases, 204",
        "POST, /v1/acquire, 415",
        "GET, /v1/leases?limit=x, 400"
    })
    void everyAnswerOverHttpHasOne(HttpMethod method, String path, int status) {
        AggregatedHttpResponse response = send(RequestHeaders.builder(method, path));

        assertThat(response.status().code()).isEqualTo(status);
        assertThat(id(response)).matches(MINTED);
        assertThat(response.contentUtf8().contains("\"requestId\":\"" + id(response) + "\""))
                .as("in %s", response.contentUtf8())
                .isEqualTo(status >= 400);
    }

    @Test
    void theRefusalOfAHostHasOne() {
        AggregatedHttpResponse response =
                send(RequestHeaders.builder(HttpMethod.GET, "/v1/info").authority("evil.example"));

        assertThat(response.status().code()).isEqualTo(421);
        assertThat(id(response)).matches(MINTED);
    }

    @Test
    void whatCanNotBeReadAsARequestIsAnsweredWithOne() throws IOException {
        String answer;
        try (Socket client =
                new Socket(InetAddress.getLoopbackAddress(), server.server().port())) {
            client.getOutputStream()
                    .write(("GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            answer = new String(client.getInputStream().readNBytes(2_000), StandardCharsets.UTF_8);
        }
        assertThat(answer).startsWith("HTTP/1.1 4");
        assertThat(answer.toLowerCase(java.util.Locale.ROOT))
                .containsPattern("\r\nrequest-id: " + MINTED + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Info", "Acquire", "Session", "Steal"})
    void everyAnswerOverGrpcHasOne(String method) {
        assertThat(id(grpc(method, ""))).matches(MINTED);
        assertThat(id(grpc(method, "orders-7"))).isEqualTo("orders-7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7", "orders.2024-06_17", "0123456789012345678901234567890123456789"})
    void theCallersIsTaken(String given) {
        RequestHeadersBuilder request =
                RequestHeaders.builder(HttpMethod.GET, "/nothing").set("request-id", given);

        AggregatedHttpResponse response = send(request);

        assertThat(id(response)).isEqualTo(given);
        assertThat(response.contentUtf8()).contains("\"requestId\":\"" + given + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\"b", "ключ", "${jndi:x}", "<b>", "a\tb"})
    void oneThatCouldBeSomethingElseIsReplaced(String given) {
        assertThat(id(send(RequestHeaders.builder(HttpMethod.GET, "/v1/info")
                        .set("request-id", given))))
                .matches(MINTED);
    }

    @Test
    void oneThatIsTooLongIsReplacedAsAreSeveral() {
        assertThat(id(send(RequestHeaders.builder(HttpMethod.GET, "/v1/info")
                        .set("request-id", "x".repeat(65)))))
                .matches(MINTED);
        assertThat(id(send(RequestHeaders.builder(HttpMethod.GET, "/v1/info")
                        .add("request-id", "a")
                        .add("request-id", "b"))))
                .matches(MINTED);
    }

    @Test
    void aLineOfTheAuditLogNamesTheRequest() throws IOException {
        AggregatedHttpResponse response = WebClient.of("http://127.0.0.1:" + port())
                .blocking()
                .execute(
                        RequestHeaders.builder(HttpMethod.POST, "/v1/force-release")
                                .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
                                .set("request-id", "ticket-12")
                                .build(),
                        "{\"scope\":\"name:orders\",\"token\":\"7\"}");

        assertThat(response.status().code()).isEqualTo(404);
        assertThat(Files.readString(audit))
                .contains("\"what\":\"force-release\"", "\"requestId\":\"ticket-12\"");
    }

    @Test
    void aClientThatKnowsNothingOfThemGoesOnAsEver() {
        assertThat(server.calls().info(InfoRequest.getDefaultInstance()).getEngine())
                .isEqualTo("memory");
    }

    private int port() {
        return server.server().port();
    }

    private AggregatedHttpResponse send(RequestHeadersBuilder headers) {
        return WebClient.of("http://127.0.0.1:" + port()).blocking().execute(headers.build());
    }

    private AggregatedHttpResponse grpc(String method, String id) {
        RequestHeadersBuilder headers = RequestHeaders.builder(
                        HttpMethod.POST, "/leasehold.v1.Leases/" + method)
                .set(HttpHeaderNames.CONTENT_TYPE, "application/grpc")
                .set(HttpHeaderNames.TE, "trailers");
        if (!id.isEmpty()) {
            headers.set("request-id", id);
        }
        byte[] empty = ByteBuffer.allocate(5).array();
        return WebClient.of("h2c://127.0.0.1:" + port()).blocking().execute(headers.build(), empty);
    }

    private static String id(AggregatedHttpResponse response) {
        return response.headers().get("request-id", "");
    }
}
