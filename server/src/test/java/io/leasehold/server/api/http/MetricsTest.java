// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.RenewReply;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is counted, as Prometheus reads it. */
final class MetricsTest {

    private final Web web = Web.start();

    @AfterEach
    void stop() {
        web.close();
    }

    @Test
    void callsAreCountedByWhatBecameOfThem() {
        web.operations.answers(AcquireReply.newBuilder()
                .setHeld(AcquireReply.Held.getDefaultInstance())
                .build());
        web.post("/v1/acquire", "{}");
        web.post("/v1/acquire", "{}");
        web.operations.fails(Web.failure(Failure.Kind.UNAVAILABLE));
        web.post("/v1/acquire", "{}");
        web.operations.fails(new IllegalStateException("broken"));
        web.post("/v1/release", "{}");

        assertThat(web.get("/metrics").body())
                .contains(
                        "leasehold_calls_seconds_count{operation=\"acquire\",outcome=\"held\"} 2",
                        "leasehold_calls_seconds_count{operation=\"acquire\",outcome=\"unavailable\"} 1",
                        "leasehold_calls_seconds_count{operation=\"release\",outcome=\"internal\"} 1",
                        "leasehold_calls_seconds_bucket{operation=\"acquire\",outcome=\"held\",le=\"0.001\"} 2");
    }

    @Test
    void refusedRenewalsAndStaleTokensAreCounted() {
        Refusal expired = Refusal.newBuilder().setReason(Reason.EXPIRED).build();
        web.operations.answers(RenewReply.newBuilder()
                .addOutcomes(RenewReply.Outcome.newBuilder().setRefused(expired))
                .addOutcomes(RenewReply.Outcome.newBuilder().setRefused(expired))
                .build());
        web.post("/v1/renew", "{}");
        web.operations.answers(AdmitReply.newBuilder()
                .setStale(AdmitReply.Stale.getDefaultInstance())
                .build());
        web.post("/v1/admit", "{}");

        assertThat(web.get("/metrics").body())
                .contains(
                        "leasehold_lease_renewal_rejected_total{reason=\"expired\"} 2",
                        "leasehold_stale_fencing_token_total 1",
                        "operation=\"renew\",outcome=\"partly_refused\"",
                        "operation=\"admit\",outcome=\"stale\"");
    }

    @Test
    void waitingAcquiresAreShownWhileTheyWait() throws InterruptedException {
        CompletableFuture<Message> reply = new CompletableFuture<>();
        web.operations.answer = call -> reply;
        CompletableFuture<HttpResponse<String>> response = web.client.sendAsync(
                web.request("/v1/acquire")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"wait\":\"60s\"}"))
                        .build(),
                BodyHandlers.ofString());
        web.operations.asked.take();
        assertThat(web.get("/metrics").body()).contains("leasehold_waiting_acquires 1.0");

        web.time.advance(Duration.ofSeconds(3));
        reply.complete(AcquireReply.getDefaultInstance());
        response.join();
        assertThat(web.get("/metrics").body())
                .contains(
                        "leasehold_waiting_acquires 0.0",
                        "leasehold_calls_seconds_sum{operation=\"acquire\",outcome=\"outcome_not_set\"} 3.0");
    }

    @Test
    void theClockStepIsShown() {
        // A gauge that nobody keeps would be gone now.
        System.gc();
        assertThat(web.get("/metrics").body()).contains("leasehold_clock_step_seconds 0.0");
        web.time.advance(Duration.ofSeconds(5));
        web.time.stepWall(Duration.ofSeconds(-7));
        assertThat(web.get("/metrics").body()).contains("leasehold_clock_step_seconds -7.0");
    }

    @Test
    void sessionsAreShownWhileTheyAreOpen() throws InterruptedException {
        CompletableFuture<com.linecorp.armeria.common.HttpResponse> end = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        try (Web other = Web.start(
                builder -> builder.service("/leasehold.v1.Leases/Session", (context, request) -> {
                    begun.countDown();
                    return com.linecorp.armeria.common.HttpResponse.of(end);
                }))) {
            CompletableFuture<HttpResponse<String>> session = other.client.sendAsync(
                    other.request("/leasehold.v1.Leases/Session").build(), BodyHandlers.ofString());
            begun.await();
            assertThat(other.get("/metrics").body()).contains("leasehold_sessions 1.0");
            end.complete(com.linecorp.armeria.common.HttpResponse.of(200));
            session.join();
            while (!other.get("/metrics").body().contains("leasehold_sessions 0.0")) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void nothingThatAClientChoosesIsALabel() {
        web.operations.answers(AcquireReply.getDefaultInstance());
        web.post(
                "/v1/acquire",
                "{\"namespace\":\"my-own\",\"scopes\":[\"name:my-own\"],\"holder\":\"my-own\"}");
        web.get("/v1/my-own");
        assertThat(web.get("/metrics").body()).doesNotContain("my-own");
    }
}
