// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.MediaType;
import io.leasehold.protocol.v1.AcquireReply;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Acquires that wait, and clients that don't. */
final class WaitingTest {

    private static final AcquireReply GRANTED = AcquireReply.newBuilder()
            .setGranted(AcquireReply.Granted.getDefaultInstance())
            .build();

    private final Web web = Web.start();
    private final CompletableFuture<Message> reply = new CompletableFuture<>();

    WaitingTest() {
        web.operations.answer = call -> reply;
    }

    @AfterEach
    void stop() {
        web.close();
    }

    @Test
    void anAnswerThatComesLateIsToldAndItsCallerIsNotGone() throws Exception {
        CompletableFuture<HttpResponse<String>> response = web.client.sendAsync(
                web.request("/v1/acquire")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"wait\":\"600s\"}"))
                        .build(),
                BodyHandlers.ofString());
        CompletionStage<Void> gone = web.operations.asked.take().caller().gone();
        assertThat(response).isNotDone();

        reply.complete(GRANTED);
        assertThat(response.get(Web.PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode())
                .isEqualTo(200);
        // Told to be delivered, which is never the same as gone.
        assertThat(gone.handle((nothing, delivered) -> delivered != null)
                        .toCompletableFuture()
                        .get(Web.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void aClientThatBreaksTheConnectionIsGone() throws Exception {
        try (Socket socket = web.connect()) {
            post(socket, "{\"wait\":\"600s\"}");
            CompletionStage<Void> gone = web.operations.asked.take().caller().gone();
            assertThat(gone.toCompletableFuture()).isNotDone();
            socket.close();
            gone.toCompletableFuture().get(Web.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        reply.complete(GRANTED);
        assertThat(web.get("/health").statusCode()).isEqualTo(200);
    }

    @Test
    void aClientThatTakesItsStreamBackIsGone() throws Exception {
        com.linecorp.armeria.common.HttpResponse response = WebClient.of(
                        "h2c://" + web.address("/").getAuthority())
                .prepare()
                .post("/v1/acquire")
                .content(MediaType.JSON, "{\"wait\":\"600s\"}")
                .execute();
        CompletionStage<Void> gone = web.operations.asked.take().caller().gone();
        response.abort();
        gone.toCompletableFuture().get(Web.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void post(Socket socket, String body) throws IOException {
        OutputStream out = socket.getOutputStream();
        String request = String.join(
                "\r\n",
                "POST /v1/acquire HTTP/1.1",
                "Host: localhost",
                "Content-Type: application/json",
                "Content-Length: " + body.length(),
                "",
                body);
        out.write(request.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }
}
