// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static io.leasehold.server.api.http.Web.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Holding;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Mode;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.server.api.CallFailedException;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What requests and replies look like as JSON. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BodiesTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final Web web = Web.start();

    @BeforeEach
    void forget() {
        web.operations.asked.clear();
    }

    @AfterAll
    void stop() {
        web.close();
    }

    @Test
    void aRequestIsReadInBothSpellings() throws InterruptedException {
        web.operations.answers(granted());
        String camel =
                "{\"namespace\":\"n\",\"leaseId\":\"" + SECRET + "\",\"scopes\":[\"name:a\"],"
                        + "\"mode\":\"SHARED\",\"holder\":\"h\",\"ttl\":\"0.250s\",\"wait\":\"5s\","
                        + "\"lockDelay\":\"1s\",\"record\":{\"kind\":\"VALUE\",\"value\":\"aGk=\"},"
                        + "\"unlessCompletedSince\":\"9007199254740991\"}";
        String snake = camel.replace("leaseId", "lease_id")
                .replace("lockDelay", "lock_delay")
                .replace("unlessCompletedSince", "unless_completed_since");
        AcquireRequest expected = AcquireRequest.newBuilder()
                .setNamespace("n")
                .setLeaseId(SECRET)
                .addScopes("name:a")
                .setMode(Mode.SHARED)
                .setHolder("h")
                .setTtl(Duration.newBuilder().setNanos(250_000_000))
                .setWait(Duration.newBuilder().setSeconds(5))
                .setLockDelay(Duration.newBuilder().setSeconds(1))
                .setRecord(Record.newBuilder().setValue(ByteString.copyFromUtf8("hi")))
                .setUnlessCompletedSince(9007199254740991L)
                .build();

        for (String body : new String[] {camel, snake}) {
            assertThat(web.post("/v1/acquire", body).statusCode()).isEqualTo(200);
            assertThat(web.operations.asked.take().request()).isEqualTo(expected);
        }
    }

    @Test
    void numbersAreTakenAsTextOrAsNumbers() throws InterruptedException {
        web.operations.answers(RenewReply.getDefaultInstance());
        web.post(
                "/v1/renew",
                "{\"renewals\":[{\"grant\":{\"token\":7},\"expectedVersion\":\"8\"}]}");
        RenewRequest renew = (RenewRequest) web.operations.asked.take().request();
        assertThat(renew.getRenewals(0).getGrant().getToken()).isEqualTo(7);
        assertThat(renew.getRenewals(0).getExpectedVersion()).isEqualTo(8);
    }

    @Test
    void aQueryIsReadInBothSpellingsAndDecoded() throws InterruptedException {
        web.operations.answers(ListReply.getDefaultInstance());
        web.get(
                "/v1/leases?namespace=n&overlapping=path:/a%20b/%C3%A4&after=9007199254740991&limit=3");
        assertThat(web.operations.asked.take().request())
                .isEqualTo(ListRequest.newBuilder()
                        .setNamespace("n")
                        .setOverlapping("path:/a b/ä")
                        .setAfter(9007199254740991L)
                        .setLimit(3)
                        .build());
        assertThat(web.get("/v1/leases?limit=1&limit=2").statusCode()).isEqualTo(400);
    }

    @Test
    void tokensAreStringsDurationsAreSecondsAndDefaultsAreTold() {
        web.operations.answers(granted());
        JsonNode granted =
                json(web.post("/v1/acquire", "{\"scopes\":[\"name:a\"]}")).get("granted");

        assertThat(granted.get("holding").get("token").isTextual()).isTrue();
        assertThat(granted.get("holding").get("token").asText()).isEqualTo("9007199254740991");
        assertThat(granted.get("holding").get("mode").asText()).isEqualTo("EXCLUSIVE");
        assertThat(granted.get("ttl").asText()).isEqualTo("30s");
        assertThat(granted.get("version").asText()).isEqualTo("0");
        assertThat(granted.get("leaseId").asText()).isEqualTo(SECRET);
    }

    @Test
    void aClockThatWasSetBackIsTold() {
        for (long millis : new long[] {-250, -1000, -1250, 0, 250}) {
            java.time.Duration step = java.time.Duration.ofMillis(millis);
            web.operations.answers(
                    InfoReply.newBuilder().setClockStep(ToWire.duration(step)).build());
            String told = json(web.get("/v1/info")).get("clockStep").asText();
            assertThat(Double.parseDouble(told.replace("s", ""))).isEqualTo(millis / 1000.0);
        }
    }

    @Test
    void textIsToldAsItIs() {
        Holding strange = Holding.newBuilder().setHolder("<ä=&'\"\\\n😀>").build();
        web.operations.answers(AcquireReply.newBuilder()
                .setGranted(AcquireReply.Granted.newBuilder().setHolding(strange))
                .build());
        HttpResponse<String> response = web.post("/v1/acquire", "{}");
        assertThat(json(response).at("/granted/holding/holder").asText())
                .isEqualTo(strange.getHolder());
        assertThat(response.body()).contains("<ä=&'").doesNotContain("\\u00");
    }

    @Test
    void whoIsInTheWayIsToldForPeople() {
        web.operations.answers(AcquireReply.newBuilder()
                .setHeld(AcquireReply.Held.newBuilder()
                        .setBlocker(Holding.newBuilder()
                                .addScopes("name:orders")
                                .setHolder("api-3")
                                .setToken(7))
                        .setRemaining(Duration.newBuilder().setSeconds(12).setNanos(400_000_000)))
                .build());
        JsonNode problem = json(web.post("/v1/acquire", "{\"scopes\":[\"name:orders\"]}"));

        assertThat(problem.get("detail").asText())
                .isEqualTo("name:orders is held by api-3 (exclusive, token 7) for another 12.4 s");
        assertThat(problem.at("/reply/held/blocker/token").asText()).isEqualTo("7");
        assertThat(problem.at("/reply/held/blocker/mode").asText()).isEqualTo("EXCLUSIVE");
    }

    @Test
    void aLockDelayIsToldAsWhatItIs() {
        web.operations.answers(AcquireReply.newBuilder()
                .setHeld(AcquireReply.Held.newBuilder()
                        .setBlocker(Holding.newBuilder()
                                .addScopes("name:orders")
                                .setHolder("api-3")
                                .setToken(7))
                        .setRemaining(Duration.newBuilder().setSeconds(12))
                        .setInLockDelay(true))
                .build());
        JsonNode problem = json(web.post("/v1/acquire", "{\"scopes\":[\"name:orders\"]}"));

        assertThat(problem.get("detail").asText())
                .isEqualTo("name:orders is in the lock-delay after the lease of api-3 (exclusive,"
                        + " token 7) expired, for another 12.0 s");
        assertThat(problem.at("/reply/held/inLockDelay").asBoolean()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"12, 400000000, 13", "12, 0, 12", "0, 1, 1", "0, 0, 1"})
    void aHeldLockTellsAfterHowManySecondsToTryAgain(long seconds, int nanos, String told) {
        web.operations.answers(AcquireReply.newBuilder()
                .setHeld(AcquireReply.Held.newBuilder()
                        .setRemaining(Duration.newBuilder().setSeconds(seconds).setNanos(nanos)))
                .build());
        HttpResponse<String> response = web.post("/v1/acquire", "{\"scopes\":[\"name:orders\"]}");

        assertThat(response.headers().firstValue("retry-after")).contains(told);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHARED", "shared", "Shared"})
    void aModeIsReadInAnyCase(String mode) throws InterruptedException {
        web.operations.answers(granted());
        String body = "{\"mode\":\"" + mode + "\",\"holder\":\"shared\"}";

        assertThat(web.post("/v1/acquire", body).statusCode()).isEqualTo(200);
        AcquireRequest request = (AcquireRequest) web.operations.asked.take().request();
        assertThat(request.getMode()).isEqualTo(Mode.SHARED);
        assertThat(request.getHolder()).isEqualTo("shared");
    }

    @Test
    void aLimitIsToldWithItsValue() {
        web.operations.fails(new CallFailedException(Failure.newBuilder()
                .setKind(Failure.Kind.LIMIT_EXCEEDED)
                .setMessage("too many")
                .setLimit("leases")
                .setLimitValue(3)
                .build()));
        JsonNode problem = json(web.post("/v1/acquire", "{}"));
        assertThat(problem.get("limit").asText()).isEqualTo("leases");
        assertThat(problem.get("limitValue").asText()).isEqualTo("3");
    }

    @Test
    void aLeaseIdThatIsLeftOutIsMintedAndNeverTwice() throws InterruptedException {
        web.operations.answers(granted());
        Set<String> minted = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            web.post("/v1/acquire", "{\"scopes\":[\"name:a\"]}");
            AcquireRequest request =
                    (AcquireRequest) web.operations.asked.take().request();
            assertThat(request.getLeaseId()).matches("[0-9a-f]{32}");
            minted.add(request.getLeaseId());
        }
        assertThat(minted).hasSize(50);
    }

    @Test
    void anIdThatWasMintedIsToldIfNobodyKnowsWhatBecameOfIt() throws InterruptedException {
        web.operations.fails(Web.failure(Failure.Kind.OUTCOME_UNKNOWN));
        JsonNode problem = json(web.post("/v1/acquire", "{}"));
        AcquireRequest request = (AcquireRequest) web.operations.asked.take().request();
        assertThat(problem.get("leaseId").asText()).isEqualTo(request.getLeaseId());

        JsonNode own = json(web.post("/v1/acquire", "{\"leaseId\":\"" + SECRET + "\"}"));
        assertThat(own.has("leaseId")).isFalse();
    }

    @Test
    void noOtherCallGetsAnIdThatItDidNotBring() throws InterruptedException {
        web.operations.fails(Web.failure(Failure.Kind.INVALID));
        web.post("/v1/withdraw", "{}");
        assertThat(((AcquireRequest) web.operations.asked.take().request()).getLeaseId())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"ttl\":30}                            | 'ttl'             | \"30s\"",
                "{\"ttl\":\"soon\"}                      | 'ttl'             | \"30s\"",
                "{\"ttl\":{}}                            | 'ttl'             | \"30s\"",
                "{\"ttl\":\"99999999999999s\"}           | 'ttl'             | \"30s\"",
                "{\"scopes\":\"name:a\"}                 | 'scopes'          | a list",
                "{\"scopes\":[7]}                        | 'scopes'          | a string",
                "{\"scopes\":[[[[\"x\"]]]]}              | 'scopes'          | a string",
                "{\"scopes\":[null]}                     | 'scopes'          | a string",
                "{\"holder\":true}                       | 'holder'          | a string",
                "{\"mode\":\"BOTH\"}                     | 'mode'            | EXCLUSIVE, SHARED",
                "{\"record\":7}                          | 'record'          | an object",
                "{\"record\":{\"value\":\"%%\"}}         | 'record.value'    | base64",
                "{\"record\":{\"colour\":1}}             | 'record.colour'   | kind, value",
                "{\"unlessCompletedSince\":1.5}          | 'unlessCompletedSince' | whole number",
                "{\"unlessCompletedSince\":\"1e99\"}     | 'unlessCompletedSince' | whole number",
                "{\"unlessCompletedSince\":9223372036854775808} | 'unlessCompletedSince' | whole number",
                "{\"unlessCompletedSince\":[]}           | 'unlessCompletedSince' | whole number",
                "{\"holder\":\"a\",\"holder\":\"b\"}     | 'holder'          | twice",
                "{\"lease_id\":\"a\",\"leaseId\":\"b\"}  | 'leaseId'         | twice",
            })
    void aWrongTypeIsNamedWithWhatIsExpected(String body, String field, String expected) {
        HttpResponse<String> response = web.post("/v1/acquire", body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).get("detail").asText()).contains(field, expected);
        assertThat(web.operations.asked).isEmpty();
    }

    @Test
    void aSecretAtTheWrongPlaceIsNotRepeated() {
        String[] bodies = {
            "{\"ttl\":\"" + SECRET + "\"}",
            "{\"mode\":\"" + SECRET + "\"}",
            "{\"unlessCompletedSince\":\"" + SECRET + "\"}",
            "{\"unlessCompletedSince\":" + SECRET + "}",
            "{\"leaseId\":" + SECRET + "}",
            "{\"leaseId\":x" + SECRET + "}",
            "{\"nonsense\":\"" + SECRET + "\"}",
        };
        for (String body : bodies) {
            HttpResponse<String> response = web.post("/v1/acquire", body);
            assertThat(response.statusCode()).describedAs(body).isEqualTo(400);
            assertThat(response.body()).doesNotContain(SECRET);
        }
        HttpResponse<String> response = web.get("/v1/leases?lease_id=" + SECRET);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).doesNotContain(SECRET);
    }

    @Test
    void aNumberOfManyDigitsCostsNothing() {
        String digits = "9".repeat(200_000);
        HttpResponse<String> response =
                web.post("/v1/acquire", "{\"unlessCompletedSince\":\"" + digits + "\"}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body().length()).isLessThan(1000);
    }

    @Test
    void aLongNameIsCutAndControlCharactersAreNotRepeated() {
        HttpResponse<String> response =
                web.post("/v1/acquire", "{\"a\\u001b[31m\\n" + "x".repeat(5000) + "\":1}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).get("detail").asText())
                .contains("'a?[31m?xxx")
                .hasSizeLessThan(400);
    }

    @Test
    void aNestedMessageOfTheRightShapeIsTakenAtItsLargest() {
        web.operations.answers(granted());
        String value = "A".repeat(64 * 1024 / 3 * 4);
        HttpResponse<String> response =
                web.post("/v1/acquire", "{\"record\":{\"value\":\"" + value + "\"}}");
        assertThat(response.statusCode()).isEqualTo(200);
    }

    private static AcquireReply granted() {
        return AcquireReply.newBuilder()
                .setGranted(AcquireReply.Granted.newBuilder()
                        .setHolding(Holding.newBuilder().setToken(9007199254740991L))
                        .setLeaseId(SECRET)
                        .setTtl(Duration.newBuilder().setSeconds(30)))
                .build();
    }
}
