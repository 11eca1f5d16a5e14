// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static io.leasehold.server.api.http.Web.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Holding;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The watch as server-sent events. */
final class EventsTest {

    private final Web web = Web.start();

    @AfterEach
    void stop() {
        web.close();
    }

    @Test
    void eventsAreToldAsTheyComeEachWithItsCursor() throws Exception {
        try (BufferedReader events = listen("/v1/watch?namespace=n&overlapping=name:a", "")) {
            assertThat(web.operations.asked.take().request())
                    .isEqualTo(WatchRequest.newBuilder()
                            .setNamespace("n")
                            .setOverlapping("name:a")
                            .build());
            StubOperations.StubWatch watch = web.operations.watches.take();
            watch.tell(started("b.1"));
            assertThat(event(events))
                    .isEqualTo("id: b.1\ndata: {\"cursor\":\"b.1\",\"started\":{}}\n");
            watch.tell(changed("b.2"));
            watch.tell(changed("b.3"));
            assertThat(event(events))
                    .startsWith(
                            "id: b.2\ndata: {\"cursor\":\"b.2\",\"changed\":{\"change\":\"RELEASED\"")
                    .contains("\"token\":\"7\"");
            assertThat(event(events)).startsWith("id: b.3\n");
        }
    }

    @Test
    void aWatchIsTakenUpBehindTheLastEventThatWasSeen() throws Exception {
        try (BufferedReader events = listen("/v1/watch?after=b.1", "b.7")) {
            assertThat(web.operations.asked.take().request())
                    .isEqualTo(WatchRequest.newBuilder().setAfter("b.7").build());
            web.operations.watches.take().tell(started("b.7"));
            assertThat(event(events)).startsWith("id: b.7\n");
        }
        try (BufferedReader events = listen("/v1/watch?after=b.1", "")) {
            assertThat(web.operations.asked.take().request())
                    .isEqualTo(WatchRequest.newBuilder().setAfter("b.1").build());
            web.operations.watches.take().tell(started("b.1"));
            assertThat(event(events)).startsWith("id: b.1\n");
        }
    }

    @Test
    void aCommentKeepsTheConnectionWhileNothingHappens() throws Exception {
        try (BufferedReader events = listen("/v1/watch", "")) {
            StubOperations.StubWatch watch = web.operations.watches.take();
            watch.tell(started("b.1"));
            assertThat(event(events)).startsWith("id: b.1\n");
            for (int i = 0; i < 3; i++) {
                assertThat(beat(events)).isEqualTo(":\n");
            }
            watch.tell(changed("b.2"));
            String event = event(events);
            while (event.equals(":\n")) {
                event = event(events);
            }
            assertThat(event).startsWith("id: b.2\n");
        }
    }

    /** Lets time pass until something arrives: a beat is left out while the last one is being written. */
    private String beat(BufferedReader events) throws Exception {
        CompletableFuture<String> arrived = CompletableFuture.supplyAsync(() -> {
            try {
                return event(events);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        while (!arrived.isDone()) {
            if (web.time.pendingTimers() > 0) {
                web.time.advance(EventStream.HEARTBEAT);
            }
            arrived.copy().completeOnTimeout("", 1, TimeUnit.SECONDS).get();
        }
        return arrived.get();
    }

    @Test
    void aWatchWhoseClientLeavesIsClosed() throws Exception {
        StubOperations.StubWatch watch;
        try (BufferedReader events = listen("/v1/watch", "")) {
            watch = web.operations.watches.take();
            watch.tell(started("b.1"));
            assertThat(event(events)).startsWith("id: b.1\n");
        }
        watch.closed.get(Web.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        while (web.time.pendingTimers() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void theEndOfAWatchIsToldWithItsReason() throws Exception {
        try (BufferedReader events = listen("/v1/watch", "")) {
            StubOperations.StubWatch watch = web.operations.watches.take();
            watch.tell(started("b.1"));
            assertThat(event(events)).startsWith("id: b.1\n");
            watch.end(Web.failure(Failure.Kind.UNAVAILABLE));
            assertThat(event(events)).startsWith("event: failure\ndata: {\"kind\":\"UNAVAILABLE\"");
            assertThat(events.readLine()).isNull();
            watch.closed.get(Web.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void aWatchThatMayNotBeIsAProblem() {
        for (Failure.Kind kind : new Failure.Kind[] {
            Failure.Kind.INVALID,
            Failure.Kind.UNAUTHENTICATED,
            Failure.Kind.PERMISSION_DENIED,
            Failure.Kind.LIMIT_EXCEEDED,
            Failure.Kind.UNAVAILABLE,
            Failure.Kind.OUTCOME_UNKNOWN
        }) {
            web.operations.watchRefusal = Web.failure(kind);
            HttpResponse<String> response = web.get("/v1/watch");
            assertThat(response.statusCode()).isGreaterThanOrEqualTo(400);
            assertThat(json(response).get("reason").asText()).isEqualTo(kind.name());
        }
        assertThat(web.get("/v1/watch?nonsense=1").statusCode()).isEqualTo(400);
        assertThat(web.send(web.request("/v1/watch").header("Authorization", "Bearer nobody"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(web.post("/v1/watch", "{}").statusCode()).isEqualTo(405);
    }

    @Test
    void headOfAWatchLeavesNoneOpen() throws Exception {
        HttpResponse<String> response =
                web.send(web.request("/v1/watch").method("HEAD", BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type").orElse(""))
                .startsWith("text/event-stream");
        assertThat(web.operations.watches.take().closed).isDone();
    }

    private BufferedReader listen(String path, String lastEventId)
            throws IOException, InterruptedException {
        var request = web.request(path);
        if (!lastEventId.isEmpty()) {
            request.header("Last-Event-ID", lastEventId);
        }
        HttpResponse<InputStream> response =
                web.client.send(request.build(), BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("cache-control")).contains("no-store");
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    private static String event(BufferedReader events) throws IOException {
        StringBuilder event = new StringBuilder();
        String line;
        while ((line = events.readLine()) != null && !line.isEmpty()) {
            event.append(line).append('\n');
        }
        return event.toString();
    }

    private static WatchReply started(String cursor) {
        return WatchReply.newBuilder()
                .setCursor(cursor)
                .setStarted(WatchReply.Started.getDefaultInstance())
                .build();
    }

    private static WatchReply changed(String cursor) {
        return WatchReply.newBuilder()
                .setCursor(cursor)
                .setChanged(WatchReply.Changed.newBuilder()
                        .setChange(WatchReply.Change.RELEASED)
                        .setHolding(Holding.newBuilder().setToken(7)))
                .build();
    }
}
