// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.LeaseStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a server says of itself. */
final class HealthTest {

    @Test
    void aServerWhoseStoreHasStoppedIsAliveAndNotReady() throws Exception {
        LeaseStore store = MemoryLeaseStore.create();
        try (LeaseholdServer server = ServersForTests.start(namespace -> store)) {
            store.close();
            HttpResponse<String> health = get(server, "/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).contains("UNAVAILABLE", "log");
            assertThat(get(server, "/health/ready").statusCode()).isEqualTo(503);
            assertThat(get(server, "/health/live").statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> get(LeaseholdServer server, String path)
            throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + server.port() + path))
                                .timeout(Duration.ofSeconds(30))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
