// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HttpLeaseStoreTest {

    static final String GRANTED = "{\"granted\":{\"holding\":{\"scopes\":[\"name:x\"],"
            + "\"mode\":\"EXCLUSIVE\",\"holder\":\"me\",\"token\":\"7\"},\"ttl\":\"30s\","
            + "\"version\":\"1\",\"validity\":{\"inStore\":\"0.001s\",\"remaining\":\"30s\"}}}";

    private final StubServer server = new StubServer();
    private final LeaseStore store = new HttpLeaseStore(server.api(), "default");

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    private static LeaseRequest request() {
        return LeaseRequest.of(
                new LeaseId(1, 2),
                Claim.exclusive(Scope.name("x")),
                new Holder("me"),
                Duration.ofSeconds(30));
    }

    private static <T> T await(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw e;
        }
    }

    @Test
    void aGrantIsRead() throws Exception {
        server.on("/v1/acquire", request -> {
            assertThat(request.text("leaseId")).isEqualTo("00000000000000010000000000000002");
            assertThat(request.texts("scopes")).containsExactly("name:x");
            assertThat(request.duration("ttl")).isEqualTo(Duration.ofSeconds(30));
            return new StubServer.Said(200, GRANTED);
        });
        Acquisition.Granted granted = (Acquisition.Granted) await(store.acquire(request()));
        assertThat(granted.grant().token()).isEqualTo(new FencingToken(7));
        assertThat(granted.grant().id()).isEqualTo(new LeaseId(1, 2));
        assertThat(granted.validity().inStore()).isEqualTo(Duration.ofMillis(1));
    }

    private static String from(String store, String reply) {
        return "{\"storeId\":\"" + store + "\"," + reply.substring(1);
    }

    @Test
    void theAnswersOfAnotherStoreAreNotTakenAndItsGrantIsGivenBack() throws Exception {
        StoreId ours = new StoreId(1, 1);
        StoreId other = new StoreId(2, 2);
        List<StoreId> told = new CopyOnWriteArrayList<>();
        CompletableFuture<String> givenBack = new CompletableFuture<>();
        server.on("/v1/release", 200, from(ours.toString(), "{\"ended\":{}}"));
        server.on("/v1/acquire", 200, from(other.toString(), GRANTED));
        server.on("/v1/withdraw", request -> {
            givenBack.complete(request.text("leaseId"));
            return new StubServer.Said(200, from(other.toString(), "{\"ended\":{}}"));
        });
        try (var unused = store.onStoreChange(told::add)) {
            assertThat(await(store.release(grant()))).isEqualTo(new Ending.Ended());
            assertThat(await(store.storeId())).isEqualTo(ours);
            assertThatThrownBy(() -> await(store.acquire(request())))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining(ours.toString())
                    .hasMessageContaining(other.toString());
            assertThat(told).containsExactly(other);
            assertThat(givenBack.get(20, TimeUnit.SECONDS))
                    .isEqualTo("00000000000000010000000000000002");
            assertThatThrownBy(() -> await(store.acquire(request())))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nothing is acquired for another");
        }
    }

    @Test
    void aGrantThatWasAskedForBeforeAChangeIsNotTakenAfterItAndGivenBack() throws Exception {
        StoreId ours = new StoreId(1, 1);
        StoreId other = new StoreId(2, 2);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch mayAnswer = new CountDownLatch(1);
        CompletableFuture<String> givenBack = new CompletableFuture<>();
        server.on("/v1/release", 200, from(ours.toString(), "{\"ended\":{}}"));
        server.on("/v1/acquire", request -> {
            asked.countDown();
            mayAnswer.await();
            return new StubServer.Said(200, from(other.toString(), GRANTED));
        });
        server.on("/v1/withdraw", request -> {
            givenBack.complete(request.text("leaseId"));
            return new StubServer.Said(200, from(other.toString(), "{\"ended\":{}}"));
        });
        assertThat(await(store.release(grant()))).isEqualTo(new Ending.Ended());
        CompletionStage<Acquisition> before = store.acquire(request());
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        server.on("/v1/release", 200, from(other.toString(), "{\"ended\":{}}"));
        assertThatThrownBy(() -> await(store.release(grant())))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(await(store.storeId())).isEqualTo(other);

        mayAnswer.countDown();

        assertThatThrownBy(() -> await(before))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nothing is acquired for another");
        assertThat(givenBack.get(30, TimeUnit.SECONDS))
                .isEqualTo("00000000000000010000000000000002");
    }

    @Test
    void aHeldLockIsAnAnswerAndNoFailure() throws Exception {
        server.on(
                "/v1/acquire",
                409,
                "{\"status\":409,\"reason\":\"HELD\",\"detail\":\"busy\",\"reply\":{\"held\":{"
                        + "\"blocker\":{\"scopes\":[\"name:x\"],\"holder\":\"other\",\"token\":\"6\"},"
                        + "\"remaining\":\"12.5s\"}}}");
        Acquisition.Held held = (Acquisition.Held) await(store.acquire(request()));
        assertThat(held.blocker().token()).isEqualTo(new FencingToken(6));
        assertThat(held.remaining()).isEqualTo(Duration.ofMillis(12_500));
    }

    @Test
    void aRefusedRenewalIsAnAnswer() throws Exception {
        server.on(
                "/v1/renew",
                410,
                "{\"status\":410,\"reason\":\"EXPIRED\",\"detail\":\"over\",\"reply\":{\"outcomes\":"
                        + "[{\"refused\":{\"reason\":\"EXPIRED\",\"message\":\"over\"}}]}}");
        Renewal renewal = await(store.renew(RenewalRequest.of(grant(), Duration.ofSeconds(30))));
        assertThat(renewal).isEqualTo(new Refused(RefusalReason.EXPIRED));
    }

    @Test
    void aReleaseIsAnswered() throws Exception {
        server.on("/v1/release", 200, "{\"ended\":{}}");
        assertThat(await(store.release(grant()))).isEqualTo(new Ending.Ended());
    }

    private static Grant grant() {
        return new Grant(
                new io.leasehold.model.Holding(
                        Claim.exclusive(Scope.name("x")), new Holder("me"), new FencingToken(7)),
                new LeaseId(1, 2),
                Duration.ofSeconds(30));
    }

    @Test
    void failuresSayWhatMayBeConcluded() {
        answerWith(503, "UNAVAILABLE");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("in words");
        answerWith(504, "OUTCOME_UNKNOWN");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOf(OutcomeUnknownException.class);
        answerWith(429, "LIMIT_EXCEEDED");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOf(LimitExceededException.class);
    }

    @Test
    void whatRepeatingCanNotHelpIsNotRepeated() {
        answerWith(403, "PERMISSION_DENIED");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOfSatisfying(
                        LimitExceededException.class,
                        e -> assertThat(e.limit()).isEqualTo("PERMISSION_DENIED"));
        answerWith(401, "UNAUTHENTICATED");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOf(LimitExceededException.class);
    }

    private void answerWith(int status, String reason) {
        server.on(
                "/v1/acquire",
                status,
                "{\"status\":" + status + ",\"reason\":\"" + reason
                        + "\",\"detail\":\"in words\"}");
    }

    @Test
    void nonsenseIsAnUnknownOutcome() {
        for (String nonsense : new String[] {
            "<html>",
            "",
            "{}",
            "{\"granted\":{}}",
            "{\"granted\":7}",
            GRANTED.replace("\"7\"", "\"0\""),
            GRANTED.replace("\"30s\"", "\"soon\"")
        }) {
            server.on("/v1/acquire", 200, nonsense);
            assertThatThrownBy(() -> await(store.acquire(request())))
                    .as(nonsense)
                    .isInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void theJsonOfAForeignServerIsNoEmptyListing() {
        for (String foreign : new String[] {"{}", "{\"message\":\"hello\"}", "{\"leases\":null}"}) {
            server.on("/v1/leases", 200, foreign).on("/v1/info", 200, foreign);
            LeaseQuery all = new LeaseQuery(Optional.empty(), Optional.empty(), 100);
            assertThatThrownBy(() -> await(store.list(all)))
                    .as(foreign)
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("is it a Leasehold server?");
            assertThatThrownBy(store::guarantees)
                    .as(foreign)
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("is it a Leasehold server?");
        }
    }

    @Test
    void aBrokenConnectionIsAnUnknownOutcomeAndAClosedPortNothingHappened() {
        server.on("/v1/acquire", 0, "");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOf(OutcomeUnknownException.class);
        server.close();
        LeaseStore fresh = new HttpLeaseStore(server.api(), "default");
        assertThatThrownBy(() -> await(fresh.acquire(request())))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("nobody listens there");
        fresh.close();
    }

    @Test
    void aRedirectIsNotFollowed() {
        server.on("/v1/acquire", 302, "");
        assertThatThrownBy(() -> await(store.acquire(request())))
                .isInstanceOf(LeaseholdException.class);
        assertThat(server.calls()).hasSize(1);
    }

    @Test
    void aRepeatTakesThePlaceOfTheCallThatWaits() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        server.on("/v1/acquire", request -> {
            if (first.getCount() > 0) {
                first.countDown();
                never.await();
            }
            return new StubServer.Said(200, GRANTED);
        });
        LeaseRequest waiting = request().waitingAtMost(Duration.ofMinutes(5));
        CompletableFuture<Acquisition> before = store.acquire(waiting).toCompletableFuture();
        assertThat(first.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(await(store.acquire(waiting))).isInstanceOf(Acquisition.Granted.class);
        assertThatThrownBy(() -> await(before)).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void theTokenIsShownAndNeverPrinted() throws Exception {
        server.on("/v1/release", 200, "{\"ended\":{}}");
        ServerAddress address = ServerAddress.parse(server.url(), "secret", Optional.empty());
        LeaseStore named = new HttpLeaseStore(ServerApi.at(address), "default");
        await(named.release(grant()));
        named.close();
        assertThat(server.authorizations()).containsExactly("Bearer secret");
        assertThat(address.toString()).doesNotContain("secret");
    }
}
