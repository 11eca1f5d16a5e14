// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.record;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.RotateRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many calls on one stream. */
final class SessionTest {

    private final TestServer server = TestServer.onMemory();
    private final TestSession session = server.session();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void everyOperationIsAnsweredOnTheStream() {
        Grant grant = grant(session.call(call(acquire("a"))).getAcquired());
        assertThat(session.call(call(renew(grant))).getRenewed().getOutcomes(0).hasRenewed())
                .isTrue();
        Answer rotated = session.call(
                Call.newBuilder().setRotate(RotateRequest.newBuilder().setGrant(grant)));
        long token = rotated.getRotated().getRotated().getHolding().getToken();
        Grant newer = grant.toBuilder().setToken(token).build();
        assertThat(session.call(Call.newBuilder().setList(ListRequest.getDefaultInstance()))
                        .getListed()
                        .getLeases(0)
                        .getHolding()
                        .getToken())
                .isEqualTo(token);
        assertThat(session.call(Call.newBuilder()
                                .setComplete(CompleteRequest.newBuilder()
                                        .setGrant(newer)
                                        .setRecord(record("r"))
                                        .setKeepFor(seconds(1))))
                        .getEnded()
                        .hasEnded())
                .isTrue();
        Grant next = grant(session.call(call(acquire("a"))).getAcquired());
        assertThat(session.call(call(release(next))).getEnded().hasEnded()).isTrue();
        var request = acquire("b");
        long forced = session.call(call(request))
                .getAcquired()
                .getGranted()
                .getHolding()
                .getToken();
        assertThat(session.call(Call.newBuilder()
                                .setForceRelease(ForceReleaseRequest.newBuilder()
                                        .setScope("name:b")
                                        .setToken(forced)))
                        .getEnded()
                        .hasEnded())
                .isTrue();
        assertThat(session.call(Call.newBuilder().setWithdraw(request))
                        .getEnded()
                        .hasEnded())
                .isTrue();
    }

    @Test
    void answersComeInAnyOrder() {
        Grant holder = grant(session.call(call(acquire("lock"))).getAcquired());
        CompletableFuture<Answer> waiting =
                session.send(call(acquire("lock").setWait(seconds(60)))).get(0);
        assertThat(session.call(call(acquire("other"))).getAcquired().hasGranted())
                .isTrue();
        assertThat(waiting).isNotDone();
        assertThat(session.call(call(release(holder))).getEnded().hasEnded()).isTrue();
        assertThat(waiting.orTimeout(30, TimeUnit.SECONDS).join().getAcquired().hasGranted())
                .isTrue();
    }

    @Test
    void manyCallsInOneMessageAreAnsweredInFewMessages() {
        Call.Builder[] calls = new Call.Builder[500];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = call(acquire("many-" + i));
        }
        List<CompletableFuture<Answer>> answers = session.send(calls);
        for (CompletableFuture<Answer> answer : answers) {
            assertThat(answer.orTimeout(30, TimeUnit.SECONDS)
                            .join()
                            .getAcquired()
                            .hasGranted())
                    .isTrue();
        }
        assertThat(session.messages()).isLessThan(20);
    }

    @Test
    void malformedCallsAreAnsweredAndTheStreamGoesOn() {
        List<Call.Builder> malformed = List.of(
                Call.newBuilder(),
                call(acquire("x").setLeaseId("")),
                call(acquire("x").setNamespace("~")),
                call(release(Grant.getDefaultInstance())),
                Call.newBuilder().setList(ListRequest.newBuilder().setLimit(-1)));
        for (Call.Builder wrong : malformed) {
            Answer answer = session.call(wrong);
            assertThat(answer.getFailure().getKind()).isEqualTo(Failure.Kind.INVALID);
        }
        assertThat(session.call(call(acquire("x"))).getAcquired().hasGranted()).isTrue();
    }

    @Test
    void inOneMessageReleasesGoBeforeAcquires() {
        Grant holder = grant(session.call(call(acquire("lock"))).getAcquired());
        List<CompletableFuture<Answer>> answers =
                session.send(call(acquire("lock")), call(release(holder)));
        assertThat(answers.get(0)
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join()
                        .getAcquired()
                        .hasGranted())
                .isTrue();
    }

    @Test
    void aMessageOfTooManyCallsEndsTheStream() {
        Call.Builder[] calls = new Call.Builder[10_001];
        for (int i = 0; i < calls.length; i++) {
            calls[i] = Call.newBuilder();
        }
        List<CompletableFuture<Answer>> unused = session.send(calls);
        assertThatThrownBy(() -> session.end().get(30, TimeUnit.SECONDS))
                .hasMessageContaining("10001 calls in one message");
    }

    @Test
    void aClientThatHasNoMoreCallsGetsItsAnswersFirst() throws Exception {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.addAll(session.send(call(acquire("last-" + i))));
        }
        session.finish();
        session.end().get(30, TimeUnit.SECONDS);
        assertThat(answers).allSatisfy(answer -> assertThat(answer).isCompleted());
    }

    @Test
    void listsOfOneMessageAreCarriedOutAsTheirAnswersAreRead() throws Exception {
        String large = "x".repeat(60 * 1024);
        for (int i = 0; i < 2; i++) {
            assertThat(session.call(call(acquire("large-" + i).setRecord(record(large))))
                            .getAcquired()
                            .hasGranted())
                    .isTrue();
        }
        ManagedChannel connection = server.connect();
        TestSession unread = TestSession.unread(connection);
        Call.Builder[] lists = new Call.Builder[300];
        Arrays.setAll(lists, i -> Call.newBuilder().setList(ListRequest.getDefaultInstance()));

        List<CompletableFuture<Answer>> answers = unread.send(lists);
        // on the same event loop, behind the message
        assertThat(LeasesGrpc.newBlockingStub(connection)
                        .withDeadlineAfter(30, TimeUnit.SECONDS)
                        .info(InfoRequest.getDefaultInstance())
                        .getEngine())
                .isEqualTo("memory");
        // stores are read in turn: behind the lists of that message that were let through
        assertThat(session.call(Call.newBuilder().setList(ListRequest.getDefaultInstance()))
                        .getListed()
                        .getLeasesCount())
                .isEqualTo(2);
        assertThat(listsCarriedOut()).isLessThan(100);

        unread.read(lists.length);
        for (CompletableFuture<Answer> answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS).getListed().getLeasesCount())
                    .isEqualTo(2);
        }
    }

    private long listsCarriedOut() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.server().port() + "/metrics"))
                .build();
        Matcher count = Pattern.compile(
                        "leasehold_calls_seconds_count\\{operation=\"list\",outcome=\"done\"\\} (\\d+)")
                .matcher(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
        assertThat(count.find()).isTrue();
        return Long.parseLong(count.group(1));
    }

    /** More than the ten megabytes at which a request would usually end. */
    @Test
    void aSessionMayGoOnForLongerThanARequestMay() {
        String large = "x".repeat(60 * 1024);
        for (int i = 0; i < 200; i++) {
            Answer answer = session.call(call(acquire("long-" + i).setRecord(record(large))));
            assertThat(answer.getAcquired().hasGranted()).isTrue();
        }
    }

    @Test
    void aClientThatDoesNotReadIsNotServedFurtherWhileOthersAre() {
        TestSession unread = TestSession.unread(server.connect());
        String large = "x".repeat(60 * 1024);
        Grant holder = grant(
                session.call(call(acquire("big").setRecord(record(large)))).getAcquired());
        assertThat(holder.getToken()).isPositive();
        int sent = 0;
        while (unread.canSend() || sent < 1000) {
            List<CompletableFuture<Answer>> unused =
                    unread.send(Call.newBuilder().setList(ListRequest.getDefaultInstance()));
            sent++;
            if (sent > 200_000) {
                break;
            }
        }
        assertThat(session.call(call(acquire("served"))).getAcquired().hasGranted())
                .isTrue();
        // what was sent before the pause is bounded; the stream was not cut, and is served again
        assertThat(sent).isLessThan(200_000);
    }
}
