// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.Admission;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers on a request, and a refusal out of any answer. */
final class FencingHeadersTest {

    private static final String STALE = "{\"type\":\"urn:leasehold:problem:stale-token\","
            + "\"reason\":\"STALE_TOKEN\",\"target\":\"name:a\",\"token\":\"8\",\"mark\":\"9\"}";

    @Test
    void aLeaseIsSentAsItsTokenAndItsScopes() {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());
                Lease lease = leasehold
                        .lock(Scope.name("a, b + 100%"), Scope.subtree("/data"))
                        .tryAcquire()
                        .orElseThrow()) {
            HttpRequest request = FencingHeaders.set(request(), lease).build();

            assertThat(request.headers().allValues("Fencing-Token")).containsExactly("1");
            assertThat(request.headers().allValues("Fencing-Scope"))
                    .containsExactly("name:a%2C%20b%20%2B%20100%25 + subtree:/data");
        }
    }

    @Test
    void aTokenIsSentAloneAndASecondOneReplacesTheFirst() {
        HttpRequest.Builder request = FencingHeaders.set(request(), new FencingToken(7));
        HttpRequest sent = FencingHeaders.set(request, new FencingToken(8)).build();

        assertThat(sent.headers().allValues("Fencing-Token")).containsExactly("8");
        assertThat(sent.headers().allValues("Fencing-Scope")).isEmpty();
    }

    @Test
    void scopesTooLongForAHeaderAreRefusedBeforeTheyAreSent() {
        Scope[] long64 = new Scope[64];
        for (int i = 0; i < long64.length; i++) {
            long64[i] = Scope.name("x".repeat(100) + i);
        }
        Admission admission =
                new Admission(new FencingToken(1), Claim.exclusive(long64), long64[0]);

        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> FencingHeaders.set(request(), admission))
                .withMessageContaining("at most 4096 are allowed");
    }

    @Test
    void scopesOfAllKindsAndCharactersComeThroughTheHeader() {
        SplittableRandom random = new SplittableRandom(5);
        int[] alphabet = {
            'a', ' ', '+', ',', '%', '/', ':', '"', '\'', '\\', '<', 0xe9, 0x142, 0x20ac, 0x1f512
        };
        for (int i = 0; i < 2_000; i++) {
            StringBuilder name = new StringBuilder();
            for (int length = 1 + random.nextInt(12); length > 0; length--) {
                name.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
            }
            List<Scope> scopes = List.of(
                    Scope.name(name.toString()),
                    Scope.path("/" + name.toString().replace("/", "")),
                    Scope.inode(-1 - i),
                    Scope.range(i, 0, Long.MAX_VALUE));
            String header = ScopeHeader.write(scopes);

            assertThat(header).matches("[!-~]+( \\+ [!-~]+){3}");
            assertThat(ScopeHeader.read(List.of(header)).scopes()).isEqualTo(scopes);
            String joined = header.replace(" + ", ", ");
            assertThat(ScopeHeader.read(List.of(joined)).scopes()).isEqualTo(scopes);
        }
    }

    @Test
    void aNameThatLooksLikeTwoScopesStaysOne() {
        Scope sly = Scope.name("a + name:b,name:c");

        assertThat(ScopeHeader.read(List.of(ScopeHeader.write(List.of(sly)))).scopes())
                .containsExactly(sly);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScopeHeader.read(List.of("name:a + name:b,c")));
    }

    @Test
    void aConflictOfTheFilterIsThrownAsTheGuardHasThrownIt() throws Exception {
        Ledgers ledgers = new Ledgers();
        ledgers.guard("/1").admit(new FencingToken(9));
        try (Server server = Server.start(ledgers.filter(), ledgers)) {
            HttpRequest.Builder late =
                    FencingHeaders.set(server.put("/1", "late"), new FencingToken(8));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> FencingHeaders.check(server.send(late)))
                    .withMessage("stale token 8: name:ledger/1 has seen token 9")
                    .matches(stale -> stale.token().value() == 8 && stale.mark().value() == 9);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> FencingHeaders.check(bytes(late)));

            Admission other = Admission.of(
                    new FencingToken(10), Scope.name("ledger/2 + \u0142\u00f3d\u017a"));
            assertThatExceptionOfType(ScopeMismatchException.class)
                    .isThrownBy(() -> FencingHeaders.check(
                            server.send(FencingHeaders.set(server.put("/1", ""), other))))
                    .withMessage("a lease on name:ledger/2 + \u0142\u00f3d\u017a does not cover"
                            + " name:ledger/1")
                    .matches(mismatch -> mismatch.reason() == RefusalReason.SCOPE_MISMATCH);

            HttpResponse<String> fine =
                    server.send(FencingHeaders.set(server.put("/1", ""), new FencingToken(9)));
            assertThat(FencingHeaders.check(fine)).isSameAs(fine);
            HttpResponse<String> bare = server.send(server.put("/1", ""));
            assertThat(FencingHeaders.check(bare).statusCode()).isEqualTo(428);
        }
    }

    private static HttpResponse<byte[]> bytes(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofByteArray());
    }

    @Test
    void aRefusalIsReadWhateverElseTheProblemHas() {
        String more = STALE.replace(
                "{\"type\"",
                " { \"a\" : [ 1, -2.5e3, {\"b\":[]}, [], {}, null, true ] ,\r\n"
                        + "\"token\":7, \"x\\u0041\\n\\/\":\"\\ud83d\\ude00\", \"type\"");

        assertThat(FencingHeaders.refusal(409, more + "\n"))
                .get()
                .isInstanceOf(StaleTokenException.class)
                .hasToString("io.leasehold.model.StaleTokenException: stale token 8: name:a has"
                        + " seen token 9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{",
                "\"STALE_TOKEN\"",
                "<html>409 Conflict</html>",
                "{\"error\":\"edit conflict\"}",
                "{\"type\":\"about:blank\",\"status\":409,\"detail\":\"version 3 is not 4\"}",
                "{\"type\":\"urn:leasehold:problem:stale-token\",\"reason\":\"STALE_TOKEN\"}",
                "{\"type\":\"urn:leasehold:problem:new\",\"reason\":\"NEW\",\"target\":\"name:a\"}",
                "{\"reason\":\"STALE_TOKEN\",\"target\":\"name:a\",\"token\":\"8\",\"mark\":\"9\"}"
            })
    void anyOtherConflictIsLeftToTheCaller(String body) {
        assertThat(FencingHeaders.refusal(409, body)).isEmpty();
    }

    @Test
    void valuesThatAGuardNeverWritesAreLeftToTheCaller() {
        assertThat(FencingHeaders.refusal(409, STALE)).isPresent();
        assertThat(FencingHeaders.refusal(400, STALE)).isEmpty();
        assertThat(FencingHeaders.refusal(409, STALE + STALE)).isEmpty();
        assertThat(FencingHeaders.refusal(409, STALE + " ".repeat(70_000))).isEmpty();
        List.of("\"7\"", "\"0\"", "\"9e0\"", "9", "\"\"", "null", "\"" + "9".repeat(400) + "\"")
                .forEach(mark -> assertThat(
                                FencingHeaders.refusal(409, STALE.replace("\"9\"", mark)))
                        .as("mark " + mark)
                        .isEmpty());
        List.of("name:", "a", "name:a\\nlog line", "name:" + "a".repeat(600))
                .forEach(target -> assertThat(
                                FencingHeaders.refusal(409, STALE.replace("name:a", target)))
                        .as("target " + target)
                        .isEmpty());
        assertThat(FencingHeaders.refusal(409, "{\"a\":" + "[".repeat(60_000))).isEmpty();
    }

    @Test
    void noPieceAndNoVariationOfAProblemDoesHarm() {
        SplittableRandom random = new SplittableRandom(3);
        for (int end = 0; end < STALE.length(); end++) {
            assertThat(FencingHeaders.refusal(409, STALE.substring(0, end))).isEmpty();
        }
        String parts = "{}[]\",:\\u0x9-. ntrue\u0001\u20ac";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder varied = new StringBuilder(STALE);
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                char other = parts.charAt(random.nextInt(parts.length()));
                varied.setCharAt(random.nextInt(varied.length()), other);
            }
            FencingHeaders.refusal(409, varied.toString())
                    .ifPresent(refusal -> assertThat(refusal)
                            .isInstanceOfAny(
                                    StaleTokenException.class, ScopeMismatchException.class));
        }
    }

    private static HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create("http://localhost/"));
    }
}
