// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Failures;
import io.leasehold.server.api.Operations;
import io.leasehold.spi.Limits;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which acquires count for the limit of their principal, by how they ended. */
final class EdgeOperationsTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final EndReply ENDED =
            EndReply.newBuilder().setEnded(EndReply.Ended.getDefaultInstance()).build();
    private static final EndReply REFUSED = EndReply.newBuilder()
            .setRefused(Refusal.newBuilder().setReason(Reason.NOT_FOUND))
            .build();
    private static final Caller CALLER = new Caller(
            new LivePrincipal(
                    "orders",
                    () -> Optional.of(new TokenEntry(
                            "orders", Optional.empty(), List.of(AccessRule.parse("*=acquire"))))),
            new CompletableFuture<>());

    private final VirtualTime time = VirtualTime.create();
    private CompletionStage<?> answer = new CompletableFuture<>();
    private Executor writer = Runnable::run;

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private Operations edge;

    @BeforeEach
    void begin() {
        Operations inner = (Operations) Proxy.newProxyInstance(
                Operations.class.getClassLoader(),
                new Class<?>[] {Operations.class},
                (proxy, method, arguments) -> answer);
        edge = EdgeOperations.around(
                inner,
                EdgeLimits.defaults().withPrincipal(new EdgeLimits.PerPrincipal(1, 10, 5, 10)),
                Audit.toFile(directory.resolve("audit.log"), time, task -> writer.execute(task)),
                time);
    }

    @Test
    void aForcedReleaseIsAnsweredOnceItsLineIsWrittenAndThatByAThreadOfItsOwn() {
        List<Runnable> tasks = new ArrayList<>();
        writer = tasks::add;
        answer = CompletableFuture.completedFuture(ENDED);
        CompletionStage<EndReply> reply = edge.forceRelease(
                CALLER, ForceReleaseRequest.newBuilder().setScope("name:a").build());
        assertThat(reply).isNotCompleted();
        assertThat(directory.resolve("audit.log")).isEmptyFile();

        tasks.forEach(Runnable::run);

        assertThat(reply).isCompletedWithValue(ENDED);
        assertThat(directory.resolve("audit.log")).content().contains("\"outcome\":\"done\"");
    }

    @Test
    void refusedForceReleasesOfOneCallerLeaveRoomInTheAuditLogForTheLinesOfOthers()
            throws IOException {
        answer = CompletableFuture.completedFuture(REFUSED);
        for (int i = 0; i < 2_000; i++) {
            assertThat(force("name:" + i)).isCompletedWithValue(REFUSED);
        }
        assertThat(audited()).singleElement().asString().contains("name:0", "NOT_FOUND");

        answer = CompletableFuture.completedFuture(ENDED);
        assertThat(force("name:held")).isCompletedWithValue(ENDED);
        answer = failed(Failure.Kind.OUTCOME_UNKNOWN);
        assertThat(force("name:maybe")).isCompletedExceptionally();
        assertThat(audited()).hasSize(3);
        assertThat(audited().get(1)).contains("name:held", "\"outcome\":\"done\"");
        assertThat(audited().get(2)).contains("name:maybe", "OUTCOME_UNKNOWN");

        time.advance(Duration.ofSeconds(1));
        assertThat(audited()).hasSize(4);
        assertThat(audited().get(3)).contains("name:1999", "NOT_FOUND (the last of 1999)");
        time.advance(Duration.ofSeconds(1));
        assertThat(time.pendingTimers()).isZero();
    }

    private CompletionStage<EndReply> force(String scope) {
        return edge.forceRelease(
                CALLER, ForceReleaseRequest.newBuilder().setScope(scope).build());
    }

    private List<String> audited() throws IOException {
        return Files.readAllLines(directory.resolve("audit.log"));
    }

    @Test
    void anAcquireOfUnknownOutcomeCountsUntilItMustHaveEnded() {
        answer = failed(Failure.Kind.OUTCOME_UNKNOWN);
        assertThat(outcome("a")).isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(outcome("a")).as("a repeat").isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
        time.advance(TTL.minusNanos(1));
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        time.advance(Duration.ofSeconds(2));
        assertThat(outcome("b")).isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
    }

    @Test
    void anAcquireOfUnknownOutcomeCountsNoMoreOnceItWasWithdrawn() {
        answer = failed(Failure.Kind.OUTCOME_UNKNOWN);
        assertThat(outcome("a")).isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
        answer = CompletableFuture.completedFuture(ENDED);
        assertThat(edge.withdraw(CALLER, request("a"))).isCompleted();
        answer = failed(Failure.Kind.OUTCOME_UNKNOWN);
        assertThat(outcome("b")).isEqualTo(Failure.Kind.OUTCOME_UNKNOWN);
    }

    @Test
    void anAcquireThatCameToNothingDoesNotCount() {
        answer = failed(Failure.Kind.UNAVAILABLE);
        assertThat(outcome("a")).isEqualTo(Failure.Kind.UNAVAILABLE);
        answer = CompletableFuture.completedFuture(AcquireReply.getDefaultInstance());
        assertThat(outcome("b")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        assertThat(outcome("c")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void aGrantCountsAndSoDoesAnAcquireThatHasNoAnswerYet() {
        answer = granted();
        assertThat(outcome("a")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        time.advance(TTL);
        answer = new CompletableFuture<>();
        CompletionStage<?> unused = edge.acquire(CALLER, request("c"));
        assertThat(outcome("d")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
    }

    @Test
    void oneLeaseIdOnSeveralScopesCountsForEachOfThem() {
        answer = granted();
        assertThat(outcome(request("a").toBuilder().addScopes("one").build()))
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        assertThat(outcome(request("a").toBuilder().addScopes("two").build()))
                .isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(outcome(request("a").toBuilder().addScopes("name:one").build()))
                .as("a repeat")
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void textWithUnpairedSurrogatesIsLeftToTheRulesOfRequests() {
        answer = failed(Failure.Kind.INVALID);
        AcquireRequest wild = request("\ud800").toBuilder()
                .setNamespace("\udc00")
                .addScopes("name:\ud800")
                .build();
        assertThat(outcome(wild)).isEqualTo(Failure.Kind.INVALID);
    }

    @Test
    void aLeaseWhoseReleaseOrRenewalIsRefusedStillCounts() {
        answer = granted();
        assertThat(outcome("a")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        Grant grant = Grant.newBuilder().setLeaseId("a").build();
        Refusal mismatch = refused(Reason.TOKEN_MISMATCH);
        answer = CompletableFuture.completedFuture(
                EndReply.newBuilder().setRefused(mismatch).build());
        assertThat(edge.release(
                        CALLER, ReleaseRequest.newBuilder().setGrant(grant).build()))
                .isCompleted();
        answer = CompletableFuture.completedFuture(RenewReply.newBuilder()
                .addOutcomes(RenewReply.Outcome.newBuilder().setRefused(mismatch))
                .build());
        assertThat(edge.renew(CALLER, renewal(grant))).isCompleted();
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);

        answer = CompletableFuture.completedFuture(RenewReply.newBuilder()
                .addOutcomes(RenewReply.Outcome.newBuilder().setRefused(refused(Reason.NOT_FOUND)))
                .build());
        assertThat(edge.renew(CALLER, renewal(grant))).isCompleted();
        answer = granted();
        assertThat(outcome("b")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void aRecordThatACompletedLeaseLeftCountsForAsLongAsItIsKept() {
        answer = CompletableFuture.completedFuture(ENDED);
        assertThat(edge.complete(CALLER, completion(Duration.ofMinutes(5)))).isCompleted();
        answer = granted();
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        time.advance(Duration.ofMinutes(4));
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        time.advance(Duration.ofMinutes(1));
        assertThat(outcome("b")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void aRecordThatWasErasedCountsNoMore() {
        answer = CompletableFuture.completedFuture(ENDED);
        assertThat(edge.complete(CALLER, completion(Duration.ofMinutes(5)))).isCompleted();
        assertThat(edge.complete(CALLER, completion(Duration.ZERO))).isCompleted();
        answer = granted();
        assertThat(outcome("b")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void aRecordThatIsLeftAtTheLimitOfLeasesCounts() {
        answer = granted();
        assertThat(outcome(request("a").toBuilder().addScopes("orders").build()))
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        answer = CompletableFuture.completedFuture(ENDED);
        assertThat(edge.complete(CALLER, completion(Duration.ofMinutes(5)))).isCompleted();
        answer = granted();
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        time.advance(Duration.ofMinutes(5));
        assertThat(outcome("b")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void eachRecordOfALeaseOnSeveralScopesCountsBeyondTheLimit() {
        answer = CompletableFuture.completedFuture(ENDED);
        assertThat(edge.complete(CALLER, completion(Duration.ofMinutes(5), "one", "two", "three")))
                .isCompleted();
        for (String scope : List.of("one", "two", "three")) {
            answer = granted();
            assertThat(outcome("b")).as(scope).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
            answer = CompletableFuture.completedFuture(ENDED);
            assertThat(edge.complete(CALLER, completion(Duration.ZERO, scope))).isCompleted();
        }
        answer = granted();
        assertThat(outcome("b")).isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void marksCountForTheirPrincipal() {
        answer = admitted();
        assertThat(outcome(edge.admit(CALLER, admission("one"))))
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        assertThat(outcome(edge.seal(CALLER, admission("one"))))
                .as("a mark that is there")
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
        assertThat(outcome(edge.admit(CALLER, admission("two"))))
                .isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(outcome(edge.seal(CALLER, admission("name:one"))))
                .as("another name")
                .isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(outcome("a")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        time.advance(Limits.MAX_KEEP_FOR);
        assertThat(outcome(edge.admit(CALLER, admission("two"))))
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    @Test
    void anAdmissionCountsWhileItHasNoAnswerAndNoMoreIfItCameToNothing() {
        CompletableFuture<AdmitReply> store = new CompletableFuture<>();
        answer = store;
        CompletionStage<AdmitReply> first = edge.admit(CALLER, admission("one"));
        CompletionStage<AdmitReply> second = edge.admit(CALLER, admission("one"));
        assertThat(outcome(edge.admit(CALLER, admission("two"))))
                .isEqualTo(Failure.Kind.LIMIT_EXCEEDED);

        store.complete(AdmitReply.newBuilder()
                .setStale(AdmitReply.Stale.getDefaultInstance())
                .build());
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        answer = admitted();
        assertThat(outcome(edge.admit(CALLER, admission("two"))))
                .isEqualTo(Failure.Kind.FAILURE_UNSPECIFIED);
    }

    private static AdmitRequest admission(String resource) {
        return AdmitRequest.newBuilder().setResource(resource).setToken(5).build();
    }

    private static CompletionStage<?> admitted() {
        return CompletableFuture.completedFuture(AdmitReply.newBuilder()
                .setAdmitted(AdmitReply.Admitted.getDefaultInstance())
                .build());
    }

    private static CompleteRequest completion(Duration keepFor) {
        return completion(keepFor, "orders");
    }

    private static CompleteRequest completion(Duration keepFor, String... scopes) {
        return CompleteRequest.newBuilder()
                .setGrant(Grant.newBuilder().setLeaseId("a").addAllScopes(List.of(scopes)))
                .setKeepFor(seconds(keepFor))
                .build();
    }

    private static RenewRequest renewal(Grant grant) {
        return RenewRequest.newBuilder()
                .addRenewals(RenewRequest.Renewal.newBuilder().setGrant(grant))
                .build();
    }

    private static Refusal refused(Reason reason) {
        return Refusal.newBuilder().setReason(reason).build();
    }

    private static CompletionStage<?> granted() {
        return CompletableFuture.completedFuture(AcquireReply.newBuilder()
                .setGranted(AcquireReply.Granted.newBuilder().setLeaseId("a").setTtl(seconds(TTL)))
                .build());
    }

    @Test
    void repeatsOfAnAcquireThatWaitsCountOnce() {
        for (int i = 0; i < 16; i++) {
            assertThat(edge.acquire(CALLER, request("a")).toCompletableFuture()).isNotDone();
        }
        assertThat(outcome("b")).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
    }

    @Test
    void aPrincipalAtItsLimitOfCallsMayStillConnect() {
        for (int i = 0; i < 10; i++) {
            CompletionStage<?> unused = edge.list(CALLER, ListRequest.getDefaultInstance());
        }
        assertThat(edge.info(CALLER, InfoRequest.getDefaultInstance()).toCompletableFuture())
                .isNotDone();
    }

    /** How an acquire with this id ends; unspecified if it does not fail. */
    private Failure.Kind outcome(String id) {
        return outcome(request(id));
    }

    private Failure.Kind outcome(AcquireRequest request) {
        return outcome(edge.acquire(CALLER, request));
    }

    private static Failure.Kind outcome(CompletionStage<?> call) {
        try {
            Object unused =
                    call.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
            return Failure.Kind.FAILURE_UNSPECIFIED;
        } catch (CallFailedException e) {
            return e.failure().getKind();
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(CallFailedException.class);
            return ((CallFailedException) Objects.requireNonNull(e.getCause()))
                    .failure()
                    .getKind();
        }
    }

    private static CompletionStage<?> failed(Failure.Kind kind) {
        return CompletableFuture.failedFuture(Failures.of(kind, "as the test says"));
    }

    private static AcquireRequest request(String id) {
        return AcquireRequest.newBuilder().setLeaseId(id).setTtl(seconds(TTL)).build();
    }

    private static com.google.protobuf.Duration seconds(Duration span) {
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(span.toSeconds())
                .build();
    }
}
