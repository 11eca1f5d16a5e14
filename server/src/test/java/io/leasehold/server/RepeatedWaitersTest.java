// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.LeaseView;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TestLength;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients that repeat what they wait for, on a server that has room for each of them once. */
@Isolated
final class RepeatedWaitersTest {

    private static final int WAITERS = TestLength.of(500, 3_500);
    private static final int TIMES = 8;
    private static final int IN_ONE_MESSAGE = 100;

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    /** Room for the waiters of one principal and one more. */
    private ServerOptions options(TokenFile tokens) {
        ServerOptions options = TestServer.options("memory");
        ServerOptions.Bounds bounds = options.bounds();
        OperationsOptions.Bounds calls = bounds.calls();
        return options.withBounds(new ServerOptions.Bounds(
                        new OperationsOptions.Bounds(
                                OperationsOptions.Acquires.of(WAITERS + 1),
                                calls.others(),
                                calls.reads(),
                                calls.watches(),
                                calls.eventsKept(),
                                calls.grace()),
                        bounds.namespaces(),
                        bounds.drain()))
                .withLimits(EdgeLimits.defaults()
                        .withPrincipal(
                                new EdgeLimits.PerPrincipal(WAITERS + 2, WAITERS + 1, 1, 10)))
                .withSecurity(new Security(
                        Optional.of(tokens.path()), Optional.empty(), Optional.empty(), false));
    }

    @Test
    void waitersCountOnceForEveryLimitHoweverOftenTheyRepeat() {
        TokenFile tokens = TokenFile.at(directory.resolve("tokens"));
        String token = tokens.create("crowd", List.of(AccessRule.parse("*=acquire,read")));
        try (TestServer server = TestServer.start(options(tokens))) {
            TestSession session = TestSession.on(server.channel(), new Bearer(token));
            Grant held = grant(acquired(session, acquire("lock").setTtl(seconds(600))));
            List<AcquireRequest.Builder> waiters = waiters();
            List<CompletableFuture<Answer>> answers = new ArrayList<>();
            for (int i = 0; i < TIMES; i++) {
                answers.addAll(send(session, waiters));
            }
            RealTime.until("all wait", () -> waiters(session) == WAITERS);
            acquired(session, acquire("other")); // is asked for behind all of the repeats
            assertThat(answers).noneMatch(CompletableFuture::isDone);
            assertThat(session.call(call(release(held))).getEnded().hasEnded()).isTrue();
        }
    }

    private static AcquireReply acquired(TestSession session, AcquireRequest.Builder request) {
        Answer answer = session.call(call(request));
        assertThat(answer.getAcquired().hasGranted()).as("%s", answer).isTrue();
        return answer.getAcquired();
    }

    private static List<AcquireRequest.Builder> waiters() {
        List<AcquireRequest.Builder> waiters = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            waiters.add(acquire("lock").setWait(seconds(600)));
        }
        return waiters;
    }

    private static List<CompletableFuture<Answer>> send(
            TestSession session, List<AcquireRequest.Builder> waiters) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int from = 0; from < WAITERS; from += IN_ONE_MESSAGE) {
            List<AcquireRequest.Builder> some =
                    waiters.subList(from, Math.min(WAITERS, from + IN_ONE_MESSAGE));
            answers.addAll(
                    session.send(some.stream().map(Requests::call).toArray(Call.Builder[]::new)));
        }
        return answers;
    }

    private static int waiters(TestSession session) {
        return session
                .call(Call.newBuilder().setList(ListRequest.getDefaultInstance()))
                .getListed()
                .getLeasesList()
                .stream()
                .mapToInt(LeaseView::getWaiters)
                .sum();
    }
}
