// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.leasehold.protocol.v1.LeaseholdProto;
import io.leasehold.server.Identity.CallKind;
import io.leasehold.server.Identity.Verdict;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.engine.StoreAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every route of JSON over HTTP, as the annotations of the protocol name them, by every identity. */
final class HttpMatrixTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    @SuppressWarnings("NullAway.Init") // set before each test
    private LeaseholdServer server;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Map<Identity, String> tokens;

    private int watches;

    /** What came back: the status, and the body or, of a stream, its first line with data. */
    private record Response(int status, String body) {}

    @BeforeEach
    void start() throws IOException {
        Path file = directory.resolve("tokens");
        tokens = Identity.tokens(TokenFile.at(file));
        server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withSecurity(new Security(
                        Optional.of(file), Optional.empty(), Optional.empty(), false)));
        Response held = request(
                Identity.ADMIN,
                "POST",
                "/v1/acquire",
                json(MatrixRequests.acquire(MatrixRequests.HELD, 0x7fff)));
        assertThat(held.body()).contains("\"granted\"", "\"token\":\"1\"");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void everyRouteAnswersEveryIdentityAsItShould() throws IOException {
        List<String> wrong = new ArrayList<>();
        int routes = 0;
        for (ServiceDescriptor service : LeaseholdProto.getDescriptor().getServices()) {
            for (MethodDescriptor method : service.getMethods()) {
                if (!method.getOptions().hasExtension(AnnotationsProto.http)) {
                    assertThat(method.getName()).isEqualTo("Session");
                    continue;
                }
                routes++;
                for (Identity identity : Identity.values()) {
                    Verdict expected = identity.expected(CallKind.of(method.getName()));
                    Verdict actual = verdict(method, call(method, identity));
                    if (actual != expected) {
                        wrong.add(method.getName() + " by " + identity + ": " + actual + ", not "
                                + expected);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(routes).isEqualTo(16);
    }

    private Response call(MethodDescriptor method, Identity identity) throws IOException {
        HttpRule rule = method.getOptions().getExtension(AnnotationsProto.http);
        Message request = Objects.requireNonNull(
                MatrixRequests.byMethod(1).get(method.getName()), method.getName());
        return rule.getGet().isEmpty()
                ? request(identity, "POST", rule.getPost(), json(request))
                : request(identity, "GET", rule.getGet() + query(request), "");
    }

    private static Verdict verdict(MethodDescriptor method, Response response) {
        String name = method.getName();
        switch (response.status()) {
            case 401 -> {
                assertThat(response.body()).contains("\"reason\":\"UNAUTHENTICATED\"");
                return Verdict.UNAUTHENTICATED;
            }
            case 403 -> {
                assertThat(response.body()).contains("\"reason\":\"PERMISSION_DENIED\"");
                return Verdict.DENIED;
            }
            // a lease that is not there is refused as such
            case 200, 404 -> {
                boolean empty = switch (name) {
                    case "List" -> response.body().contains("\"leases\":[]");
                    case "Check" -> response.body().contains("\"standing\":\"UNKNOWN\"");
                    case "Watch" -> response.body().isEmpty();
                    default -> false;
                };
                return empty ? Verdict.EMPTY : Verdict.SERVED;
            }
            default -> throw new AssertionError(name + ": " + response);
        }
    }

    /** Pages that belong to no method. */
    @Test
    void healthIsForAllAndMetricsForThoseWhoAdministerAndTheRestForTheKnown() throws IOException {
        for (Identity identity : Identity.values()) {
            boolean known = identity != Identity.NONE;
            for (String page : List.of("/health", "/health/live", "/health/ready")) {
                assertThat(status(identity, page)).as(page).isEqualTo(200);
            }
            assertThat(status(identity, "/metrics"))
                    .isEqualTo(!known ? 401 : identity == Identity.ADMIN ? 200 : 403);
            for (String page : List.of("/", "/docs", "/docs/leasehold.proto")) {
                assertThat(status(identity, page)).as(page).isEqualTo(known ? 200 : 401);
            }
        }
    }

    private int status(Identity identity, String path) throws IOException {
        return request(identity, "GET", path, "").status();
    }

    private Response request(Identity identity, String verb, String path, String body)
            throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + server.port() + path).toURL().openConnection();
        connection.setRequestMethod(verb);
        connection.setReadTimeout(20_000);
        String token = tokens.get(identity);
        if (token != null) {
            connection.setRequestProperty("Authorization", "Bearer " + token);
        }
        if (!body.isEmpty()) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
            connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        int status = connection.getResponseCode();
        InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        if (in == null) {
            return new Response(status, "");
        }
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            String type = Objects.requireNonNullElse(connection.getContentType(), "");
            if (type.startsWith("text/event-stream")) {
                return new Response(status, seenBy(identity, reader));
            }
            StringBuilder text = new StringBuilder();
            for (int c = reader.read(); c >= 0; c = reader.read()) {
                text.append((char) c);
            }
            return new Response(status, text.toString().replaceAll("\\s+", ""));
        } finally {
            connection.disconnect();
        }
    }

    /**
     * The first line about a lease that is acquired in the course of a watch. That nothing comes
     * can be seen only for a while.
     */
    private String seenBy(Identity identity, BufferedReader events) throws IOException {
        assertThat(events.readLine()).startsWith("id: ");
        CompletableFuture<String> seen = CompletableFuture.supplyAsync(() -> events.lines()
                .filter(line -> line.contains("name:event-" + identity))
                .findFirst()
                .orElse(""));
        Response happened = request(
                Identity.ADMIN,
                "POST",
                "/v1/acquire",
                json(MatrixRequests.acquire("name:event-" + identity, (1 << 28) + ++watches)));
        assertThat(happened.body()).contains("\"granted\"");
        return identity == Identity.WRONG_NAMESPACE
                ? seen.completeOnTimeout("", 1, TimeUnit.SECONDS).join()
                : seen.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static String json(Message message) throws InvalidProtocolBufferException {
        return JsonFormat.printer().print(message);
    }

    private static String query(Message message) {
        StringBuilder query = new StringBuilder();
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            query.append(query.length() == 0 ? '?' : '&')
                    .append(field.getKey().getJsonName())
                    .append('=')
                    .append(URLEncoder.encode(field.getValue().toString(), StandardCharsets.UTF_8));
        }
        return query.toString();
    }
}
