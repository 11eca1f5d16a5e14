// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.ListRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A scope that is given without a kind is a name, in every call. */
final class KindlessScopesTest {

    private TestServer server;

    @SuppressWarnings("NullAway.Init")
    KindlessScopesTest() {}

    @BeforeEach
    void start() {
        server = TestServer.onMemory();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void anAcquireTakesAScopeWithoutAKindForAName() {
        AcquireReply reply = acquireKindless();

        assertThat(reply.getGranted().getHolding().getScopesList())
                .containsExactly("name:job:orders");
    }

    @Test
    void callsByScopeTakeOneWithoutAKindForAName() {
        long token = acquireKindless().getGranted().getHolding().getToken();

        assertThat(server.calls()
                        .list(ListRequest.newBuilder()
                                .setOverlapping("job:orders")
                                .build())
                        .getLeasesCount())
                .isEqualTo(1);
        assertThat(server.calls()
                        .list(ListRequest.newBuilder()
                                .setOverlapping("job:orders")
                                .build())
                        .getLeasesCount())
                .isEqualTo(1);
        assertThat(server.calls()
                        .check(CheckRequest.newBuilder()
                                .setScope("job:orders")
                                .setToken(token)
                                .build())
                        .getStandingValue())
                .isEqualTo(server.calls()
                        .check(CheckRequest.newBuilder()
                                .setScope("name:job:orders")
                                .setToken(token)
                                .build())
                        .getStandingValue());
        assertThat(server.calls()
                        .forceRelease(ForceReleaseRequest.newBuilder()
                                .setScope("job:orders")
                                .setToken(token)
                                .build())
                        .hasEnded())
                .isTrue();
    }

    @Test
    void aQueryTakesAScopeWithoutAKindForAName() throws Exception {
        AcquireReply unused = acquireKindless();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                        + server.server().port() + "/v1/leases?overlapping=job:orders"))
                .timeout(Duration.ofSeconds(30))
                .build();
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());

        assertThat(response.body()).contains("\"name:job:orders\"");
    }

    private AcquireReply acquireKindless() {
        AcquireRequest.Builder request = acquire("x").clearScopes().addScopes("job:orders");
        return server.calls().acquire(request.build());
    }
}
