// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.guard.Admission;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the filter answers, seen by a real client of a real container. */
final class FencingFilterTest {

    private static final String MAX = Long.toString(FencingToken.MAX_VALUE);

    private Ledgers ledgers = new Ledgers();
    private Server server = Server.start(ledgers.filter(), ledgers);

    @AfterEach
    void stop() {
        server.close();
    }

    private void serve(Ledgers.Before before, boolean admissionOnly) {
        server.close();
        ledgers = new Ledgers(before);
        server = Server.start(
                admissionOnly ? ledgers.filter().withAdmissionOnly() : ledgers.filter(), ledgers);
    }

    @Test
    void aTokenPassesAndTheHandlerKnowsIt() {
        HttpResponse<String> answer = put("/1", 7, "seven");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("token 7");
        assertThat(ledgers.text("/1")).isEqualTo("seven");
        assertThat(ledgers.mark("/1")).contains(new FencingToken(7));
    }

    @Test
    void theSameTokenPassesAgainAndSoDoesANewerOne() {
        assertThat(put("/1", 7, "a").statusCode()).isEqualTo(200);
        assertThat(put("/1", 7, "b").statusCode()).isEqualTo(200);
        assertThat(put("/1", FencingToken.MAX_VALUE, "c").statusCode()).isEqualTo(200);
        assertThat(ledgers.text("/1")).isEqualTo("c");
    }

    @Test
    void aStaleTokenIsAConflictThatSaysWhyAndTheHandlerDoesNotRun() {
        put("/1", 9, "newest");

        HttpResponse<String> answer = put("/1", 8, "late");

        assertProblem(answer, 409);
        assertThat(Server.problem(answer.body()))
                .containsEntry("type", "urn:leasehold:problem:stale-token")
                .containsEntry("title", "A newer holder was here")
                .containsEntry("detail", "stale token 8: ledger/1 has seen token 9")
                .containsEntry("reason", "STALE_TOKEN")
                .containsEntry("resource", "name:ledger/1")
                .containsEntry("target", "name:ledger/1")
                .containsEntry("token", "8")
                .containsEntry("mark", "9");
        assertThat(ledgers.text("/1")).isEqualTo("newest");
    }

    @Test
    void guardsOfDifferentResourcesDoNotMeet() {
        put("/1", 9, "one");

        assertThat(put("/2", 3, "two").statusCode()).isEqualTo(200);
        assertThat(put("/1", 8, "late").statusCode()).isEqualTo(409);
    }

    @Test
    void aRequestThatNoGuardStandsBeforeNeedsNoToken() {
        assertThat(server.send(server.request("/1").GET()).statusCode()).isEqualTo(200);
        assertThat(server.send(server.put("/3", "")).body()).isEqualTo("token none");
        assertThat(server.send(server.put("/3", "").header("Fencing-Token", "nonsense"))
                        .body())
                .isEqualTo("token none");
    }

    @Test
    void anotherSpellingOfThePathMeetsTheSameGuard() {
        put("/1", 9, "newest");

        for (String path : List.of("/%31", "/1;a=b", "//1", "/x/../1", "/./1")) {
            assertThat(put(path, 8, "late").statusCode()).as(path).isEqualTo(409);
            assertThat(server.send(server.put(path, "bare")).statusCode())
                    .as(path)
                    .isEqualTo(428);
        }
        assertThat(ledgers.text("/1")).isEqualTo("newest");
    }

    @Test
    void aMissingTokenIsAPreconditionRequired() {
        HttpResponse<String> answer = server.send(server.put("/1", "bare"));

        assertProblem(answer, 428);
        assertThat(Server.problem(answer.body()))
                .containsEntry("type", "urn:leasehold:problem:token-required")
                .containsEntry("reason", "TOKEN_REQUIRED")
                .containsEntry("target", "name:ledger/1")
                .extractingByKey("detail")
                .asString()
                .contains("needs the header Fencing-Token");
        assertThat(ledgers.text("/1")).isEmpty();
    }

    @Test
    void whereTheTokenIsOptionalOnlyItsAbsencePasses() {
        server.close();
        server = Server.start(ledgers.filter().withTokenOptional(), ledgers);

        assertThat(server.send(server.put("/1", "bare")).body()).isEqualTo("token none");
        assertThat(put("/1", 5, "five").statusCode()).isEqualTo(200);
        assertThat(put("/1", 4, "late").statusCode()).isEqualTo(409);
        assertThat(server.send(server.put("/1", "").header("Fencing-Token", "0"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(server.send(server.put("/1", "").header("Fencing-Scope", "name:ledger/1"))
                        .statusCode())
                .isEqualTo(428);
        assertThat(ledgers.text("/1")).isEqualTo("five");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "-1",
                "+7",
                "07",
                "9007199254740992",
                "18446744073709551617",
                "1e3",
                "7.0",
                "0x7",
                "7 7",
                "7,7",
                "seven",
                "\"7\"",
                "7\u00a0",
                "\u0667",
                "\uff17",
                "7<script>"
            })
    void aTokenThatIsNoNumberInRangeIsABadRequest(String value) {
        assertMalformedToken(server.sendRaw("/1", "Fencing-Token: " + value));
    }

    @Test
    void aTokenOfTenThousandDigitsIsABadRequest() {
        assertMalformedToken(server.sendRaw("/1", "Fencing-Token: " + "7".repeat(10_000)));
    }

    @Test
    void twoTokensAreABadRequestUnlessTheyAreTheSame() {
        assertMalformedToken(server.sendRaw("/1", "Fencing-Token: 7", "Fencing-Token: 8"));
        assertMalformedToken(server.sendRaw("/1", "Fencing-Token: 7", "fencing-token: 07"));
        assertThat(server.sendRaw("/1", "Fencing-Token: 7", "fencing-token: 7"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void blanksAroundTheTokenAreNoPartOfIt() {
        assertThat(server.sendRaw("/1", "Fencing-Token: \t 7 \t")).startsWith("HTTP/1.1 200");
    }

    private void assertMalformedToken(String answer) {
        assertThat(answer)
                .startsWith("HTTP/1.1 400")
                .contains("Content-Type: application/problem+json")
                .contains("Cache-Control: no-store");
        String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        assertThat(Server.problem(body))
                .containsEntry("reason", "MALFORMED_TOKEN")
                .containsEntry("type", "urn:leasehold:problem:malformed-token");
        assertThat(body.length()).isLessThan(500);
        assertThat(ledgers.mark("/1")).isEmpty();
    }

    @Test
    void aLeaseOnTheResourceOrOnMorePasses() {
        assertThat(scoped("name:ledger/1").statusCode()).isEqualTo(200);
        assertThat(scoped("inode:4 + name:ledger/1").statusCode()).isEqualTo(200);
        assertThat(scoped("inode:4,name:ledger/1").statusCode()).isEqualTo(200);
        assertThat(scoped("name:ledger%2F1").statusCode()).isEqualTo(200);
        assertThat(server.sendRaw(
                        "/1",
                        "Fencing-Token: " + MAX,
                        "Fencing-Scope: inode:4",
                        "Fencing-Scope: name:ledger/1"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void aLeaseOnSomethingElseIsAConflictThatSaysSo() {
        HttpResponse<String> answer = scoped("name:ledger/2 + inode:4");

        assertProblem(answer, 409);
        assertThat(Server.problem(answer.body()))
                .containsEntry("type", "urn:leasehold:problem:scope-mismatch")
                .containsEntry("reason", "SCOPE_MISMATCH")
                .containsEntry("resource", "name:ledger/1")
                .containsEntry("leased", "name:ledger/2 + inode:4")
                .containsEntry(
                        "detail",
                        "a lease on name:ledger/2 + inode:4 does not cover name:ledger/1");
        assertThat(ledgers.mark("/1")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ledger/1",
                "name:",
                "name:a b",
                "name:ledger/1 +",
                "name:ledger/1 + ",
                "name:%",
                "name:%4",
                "name:%zz",
                "name:%ff",
                "name:%0a",
                "name:\u0142",
                "range:1:5-5",
                "path:/a/../b",
                "inode:-1"
            })
    void scopesThatCannotBeReadAreABadRequest(String value) {
        String answer = server.sendRaw("/1", "Fencing-Token: 7", "Fencing-Scope: " + value);

        assertThat(answer).startsWith("HTTP/1.1 400").contains("MALFORMED_SCOPE");
        assertThat(ledgers.mark("/1")).isEmpty();
    }

    @Test
    void tooManyOrTooLongScopesAreABadRequest() {
        String many = "name:ledger/1" + ",inode:1".repeat(1) + inodes(64);
        assertThat(scoped(many).statusCode()).isEqualTo(400);
        assertThat(scoped("name:" + "x".repeat(513)).statusCode()).isEqualTo(400);
        assertThat(scoped("name:ledger/1" + ",inode:7".repeat(600)).statusCode())
                .isEqualTo(400);
        assertThat(scoped("name:ledger/1" + inodes(63)).statusCode()).isEqualTo(200);
    }

    private static String inodes(int count) {
        StringBuilder inodes = new StringBuilder();
        for (int i = 0; i < count; i++) {
            inodes.append(",inode:").append(1000 + i);
        }
        return inodes.toString();
    }

    @Test
    void aGuardWithPartsIsAskedAboutThePartThatTheFunctionNames() {
        MemoryGuard<String> accounts = MemoryGuard.around(Scope.subtree("/accounts"), "");
        serveParts(accounts);

        assertThat(put("/accounts/1", 9, "").statusCode()).isEqualTo(200);
        assertThat(put("/accounts/2", 3, "").statusCode()).isEqualTo(200);
        assertThat(put("/accounts/1", 8, "").statusCode()).isEqualTo(409);
        HttpResponse<String> elsewhere = put("/other", 9, "");
        assertProblem(elsewhere, 409);
        assertThat(Server.problem(elsewhere.body()))
                .containsEntry("reason", "SCOPE_MISMATCH")
                .containsEntry("target", "path:/other")
                .containsEntry("resource", "subtree:/accounts");
        Admission whole = new Admission(
                new FencingToken(10),
                Claim.exclusive(Scope.subtree("/accounts")),
                Scope.path("/accounts/1"));
        HttpRequest.Builder covered = FencingHeaders.set(server.put("/accounts/1", ""), whole);
        assertThat(server.send(covered).statusCode()).isEqualTo(200);
        assertThat(accounts.mark(Scope.path("/accounts/2"))).contains(new FencingToken(3));
    }

    @Test
    void aRequestThatIsForwardedToAnotherPartIsAskedAboutThatToo() {
        MemoryGuard<String> accounts = MemoryGuard.around(Scope.subtree("/accounts"), "");
        accounts.admit(Admission.of(new FencingToken(9), Scope.path("/accounts/2")));
        FencingFilter filter = FencingFilter.guarding(
                request -> Optional.of(Guarded.by(accounts, Scope.path(request.getPathInfo()))));
        ledgers = new Ledgers((request, response) -> {
            if (request.getPathInfo().equals("/accounts/1")) {
                request.getRequestDispatcher("/accounts/2").forward(request, response);
            }
        });
        server.close();
        server = Server.startWithTwice(filter, ledgers);

        assertThat(put("/accounts/1", 8, "").statusCode()).isEqualTo(409);
        assertThat(put("/accounts/1", 10, "").body()).isEqualTo("token 10");
        assertThat(accounts.mark(Scope.path("/accounts/2"))).contains(new FencingToken(10));
    }

    private void serveParts(MemoryGuard<String> guard) {
        server.close();
        server = Server.start(
                FencingFilter.guarding(request ->
                        Optional.of(Guarded.by(guard, Scope.path(request.getPathInfo())))),
                ledgers);
    }

    @Test
    void oneGuardForAllWritesLetsReadsThrough() {
        server.close();
        server = Server.start(FencingFilter.guardingWrites(ledgers.guard("/1")), ledgers);

        assertThat(server.send(server.request("/1").GET()).statusCode()).isEqualTo(200);
        assertThat(server.send(server.request("/1").DELETE()).statusCode()).isEqualTo(428);
        assertThat(server.send(server.put("/2", "")).statusCode()).isEqualTo(428);
        assertThat(put("/2", 4, "").statusCode()).isEqualTo(200);
        assertThat(put("/1", 3, "").statusCode()).isEqualTo(409);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\",\"status\":200,\"x\":\"",
                "back\\slash\\",
                "</script><script>alert(1)</script>",
                "<img src=x onerror=alert('1')>&amp;",
                "\u0142\u00f3d\u017a \ud83d\udd12",
                "{{7*7}}${7*7}%0d%0aSet-Cookie: a=b"
            })
    void aNameCannotBreakOutOfTheAnswer(String name) {
        server.close();
        MemoryGuard<String> guard = MemoryGuard.around(name, "");
        guard.admit(new FencingToken(9));
        server = Server.start(FencingFilter.guardingWrites(guard), ledgers);

        HttpResponse<String> answer = put("/1", 8, "");

        assertProblem(answer, 409);
        assertThat(answer.body()).matches("[ -~]*").doesNotContain("<", ">", "&", "'");
        assertThat(Server.problem(answer.body()))
                .containsEntry("resource", "name:" + name)
                .containsEntry("detail", "stale token 8: " + name + " has seen token 9");
    }

    @Test
    void whatTheHandlerThrowsReachesTheContainerAndTheMarkStays() {
        for (boolean admissionOnly : new boolean[] {false, true}) {
            for (Exception thrown : new Exception[] {
                new IOException("disk"),
                new ServletException("servlet"),
                new IllegalStateException("no")
            }) {
                assertThat(thrownThrough(thrown, admissionOnly)).isSameAs(thrown);
                assertThat(ledgers.mark("/1")).contains(new FencingToken(7));
                assertThat(ledgers.text("/1")).isEmpty();
            }
        }
    }

    @Test
    void aRefusalThatTheHandlerLetsThroughIsAnsweredIfItIsAboutThisToken() {
        StaleTokenException mine =
                new StaleTokenException("table", new FencingToken(7), new FencingToken(8));
        for (boolean admissionOnly : new boolean[] {false, true}) {
            assertThat(statusAfter(mine, admissionOnly)).isEqualTo(409);
            assertThat(statusAfter(new ServletException(mine), admissionOnly)).isEqualTo(409);
            StaleTokenException foreign =
                    new StaleTokenException("table", new FencingToken(3), new FencingToken(8));
            assertThat(statusAfter(foreign, admissionOnly)).isEqualTo(500);
        }
    }

    @Test
    void aRefusalIsAnsweredEvenIfTheHandlerHasBegunToWrite() {
        StaleTokenException mine =
                new StaleTokenException("table", new FencingToken(7), new FencingToken(8));
        serve(
                (request, response) -> {
                    response.getWriter().write("all is well");
                    throw mine;
                },
                true);

        HttpResponse<String> answer = put("/1", 7, "");

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(Server.problem(answer.body())).containsEntry("mark", "8");
    }

    private int statusAfter(Exception thrown, boolean admissionOnly) {
        serve((request, response) -> rethrow(thrown), admissionOnly);
        return put("/1", 7, "").statusCode();
    }

    /** What comes out of the filter when this is thrown behind it. */
    private Throwable thrownThrough(Exception thrown, boolean admissionOnly) {
        Throwable[] seen = new Throwable[1];
        server.close();
        ledgers = new Ledgers((request, response) -> rethrow(thrown));
        FencingFilter filter =
                admissionOnly ? ledgers.filter().withAdmissionOnly() : ledgers.filter();
        server = Server.start(
                (request, response, chain) -> {
                    try {
                        filter.doFilter(request, response, chain);
                    } catch (IOException | ServletException | RuntimeException e) {
                        seen[0] = e;
                        throw e;
                    }
                },
                ledgers);
        assertThat(put("/1", 7, "").statusCode()).isEqualTo(500);
        return seen[0];
    }

    private static void rethrow(Exception thrown) throws IOException, ServletException {
        if (thrown instanceof IOException e) {
            throw e;
        }
        if (thrown instanceof ServletException e) {
            throw e;
        }
        throw (RuntimeException) thrown;
    }

    @Test
    void inOneStepAHandlerCannotGoOnAsynchronously() {
        boolean[] supported = {true};
        serve(
                (request, response) -> {
                    supported[0] = request.isAsyncSupported();
                    request.startAsync();
                },
                false);

        assertThat(put("/1", 7, "async").statusCode()).isEqualTo(500);
        assertThat(supported).containsExactly(false);
        assertThat(ledgers.text("/1")).isEmpty();
    }

    @Test
    void behindAnAdmissionAHandlerMayGoOnAsynchronously() {
        serve((request, response) -> request.startAsync().complete(), true);

        assertThat(put("/1", 7, "async").statusCode()).isEqualTo(200);
        assertThat(ledgers.text("/1")).isEqualTo("async");
        assertThat(put("/1", 6, "late").statusCode()).isEqualTo(409);
    }

    private HttpResponse<String> put(String path, long token, String body) {
        return server.send(FencingHeaders.set(server.put(path, body), new FencingToken(token)));
    }

    private HttpResponse<String> scoped(String scopes) {
        return server.send(
                server.put("/1", "").header("Fencing-Token", MAX).header("Fencing-Scope", scopes));
    }

    private static void assertProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().map())
                .containsEntry("content-type", List.of("application/problem+json"))
                .containsEntry("cache-control", List.of("no-store"))
                .containsEntry("x-content-type-options", List.of("nosniff"));
        Map<String, Object> problem = Server.problem(answer.body());
        assertThat(problem.get("status")).hasToString(Integer.toString(status));
        assertThat(problem).containsKeys("type", "title", "detail", "reason");
    }
}
