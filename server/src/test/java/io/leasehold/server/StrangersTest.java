// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the server does for those who did not say who they are. */
final class StrangersTest {

    private static final byte[] EMPTY_MESSAGE = new byte[5];

    private final HttpClient client = HttpClient.newHttpClient();
    private final TestServer server = TestServer.onMemory();

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

    private HttpResponse<String> info(String contentType) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.server().port()
                                + "/leasehold.v1.Leases/Info"))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", contentType)
                .POST(HttpRequest.BodyPublishers.ofByteArray(EMPTY_MESSAGE))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
