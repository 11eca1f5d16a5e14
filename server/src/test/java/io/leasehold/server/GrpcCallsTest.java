// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.record;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeaseView;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.Mode;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Each operation as a unary call over a socket, by the generated stub. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GrpcCallsTest {

    private TestServer server;

    @SuppressWarnings("NullAway.Init")
    GrpcCallsTest() {}

    @BeforeAll
    void start() {
        server = TestServer.onMemory();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private Grant granted(String name) {
        AcquireReply reply = server.calls().acquire(acquire(name).build());
        assertThat(reply.hasGranted()).isTrue();
        return grant(reply);
    }

    @Test
    void anAcquireIsGrantedWithATokenAndItsTerms() {
        AcquireRequest request = acquire("granted").setTtl(seconds(7)).build();
        AcquireReply.Granted granted = server.calls().acquire(request).getGranted();
        assertThat(granted.getHolding().getToken()).isPositive();
        assertThat(granted.getHolding().getScopesList()).containsExactly("name:granted");
        assertThat(granted.getLeaseId()).isEqualTo(request.getLeaseId());
        assertThat(granted.getTtl()).isEqualTo(seconds(7));
        assertThat(granted.getVersion()).isEqualTo(1);
        assertThat(granted.getValidity().getRemaining()).isEqualTo(seconds(7));
    }

    @Test
    void aRepeatedAcquireIsTheSameGrant() {
        AcquireRequest request = acquire("repeated").build();
        long token = server.calls().acquire(request).getGranted().getHolding().getToken();
        AcquireReply again = server.calls().acquire(request);
        assertThat(again.getGranted().getHolding().getToken()).isEqualTo(token);
    }

    @Test
    void aHeldLockTellsItsHolder() {
        Grant holder = granted("held");
        AcquireReply reply = server.calls().acquire(acquire("held").build());
        assertThat(reply.getHeld().getBlocker().getToken()).isEqualTo(holder.getToken());
        assertThat(reply.getHeld().getRemaining().getSeconds()).isBetween(20L, 30L);
    }

    @Test
    void aWaitingAcquireIsGrantedWhenTheHolderReleases() throws Exception {
        Grant holder = granted("waited-for");
        var waiting = server.later()
                .acquire(acquire("waited-for").setWait(seconds(60)).build());
        var waiters = ListRequest.newBuilder().setOverlapping("name:waited-for").build();
        Await.until(() -> server.calls().list(waiters).getLeases(0).getWaiters() == 1);
        server.calls().release(release(holder));
        assertThat(waiting.get().getGranted().getHolding().getToken())
                .isGreaterThan(holder.getToken());
    }

    @Test
    void renewalsAreAnsweredEachForItself() {
        Grant good = granted("renewed");
        Grant bad = granted("released-before");
        server.calls().release(release(bad));
        RenewReply reply = server.calls().renew(renew(good, bad));
        assertThat(reply.getOutcomes(0).getRenewed().getVersion()).isEqualTo(2);
        assertThat(reply.getOutcomes(1).getRefused().getReason()).isEqualTo(Reason.NOT_FOUND);
        assertThat(reply.getOutcomes(1).getRefused().getMessage()).contains("no such lease");
    }

    @Test
    void aRotationDrawsAHigherToken() {
        Grant before = granted("rotated");
        RotateReply reply = server.calls()
                .rotate(RotateRequest.newBuilder().setGrant(before).build());
        assertThat(reply.getRotated().getHolding().getToken()).isGreaterThan(before.getToken());
        assertThat(server.calls().release(release(before)).getRefused().getReason())
                .isEqualTo(Reason.TOKEN_MISMATCH);
    }

    @Test
    void aReleaseEndsALeaseAndARepeatIsTheSame() {
        Grant grant = granted("released");
        assertThat(server.calls().release(release(grant)).hasEnded()).isTrue();
        assertThat(server.calls().release(release(grant)).hasEnded()).isTrue();
        assertThat(granted("released").getToken()).isGreaterThan(grant.getToken());
    }

    @Test
    void aWithdrawnAcquireIsGone() {
        AcquireRequest request = acquire("withdrawn").build();
        assertThat(server.calls().acquire(request).hasGranted()).isTrue();
        assertThat(server.calls().withdraw(request).hasEnded()).isTrue();
        assertThat(server.calls().acquire(request).getGone().getReason())
                .isEqualTo(Reason.NOT_FOUND);
        assertThat(granted("withdrawn").getToken()).isPositive();
    }

    @Test
    void aCompletionLeavesARecordThatAnAcquireMayBeContentWith() {
        Grant grant = granted("completed");
        EndReply end = server.calls()
                .complete(CompleteRequest.newBuilder()
                        .setGrant(grant)
                        .setRecord(record("done"))
                        .setKeepFor(seconds(60))
                        .build());
        assertThat(end.hasEnded()).isTrue();
        AcquireReply reply = server.calls()
                .acquire(acquire("completed").setUnlessCompletedSince(1).build());
        assertThat(reply.getCompleted().getRecord()).isEqualTo(record("done"));
        assertThat(reply.getCompleted().getToken()).isEqualTo(grant.getToken());
    }

    @Test
    void listsGoPageByPageInTokenOrder() {
        for (int i = 0; i < 5; i++) {
            assertThat(server.calls()
                            .acquire(
                                    acquire("listed-" + i).setNamespace("lists").build())
                            .hasGranted())
                    .isTrue();
        }
        ListRequest request =
                ListRequest.newBuilder().setNamespace("lists").setLimit(3).build();
        ListReply first = server.calls().list(request);
        assertThat(first.getLeasesCount()).isEqualTo(3);
        assertThat(first.getMore()).isTrue();
        long last = first.getLeases(2).getHolding().getToken();
        ListReply second =
                server.calls().list(request.toBuilder().setAfter(last).build());
        assertThat(second.getLeasesList())
                .extracting(view -> view.getHolding().getScopes(0))
                .containsExactly("name:listed-3", "name:listed-4");
        assertThat(second.getMore()).isFalse();
    }

    @Test
    void aPageOfLargeRecordsFitsIntoAMessage() {
        String large = "x".repeat(64 * 1024);
        for (int i = 0; i < 40; i++) {
            AcquireReply reply = server.calls()
                    .acquire(acquire("large-" + i)
                            .setNamespace("large")
                            .setRecord(record(large))
                            .build());
            assertThat(reply.hasGranted()).isTrue();
        }
        ListReply page = server.calls()
                .list(ListRequest.newBuilder().setNamespace("large").build());
        assertThat(page.getLeasesCount()).isBetween(10, 20);
        assertThat(page.getMore()).isTrue();
    }

    @Test
    void aListByScopeShowsWhatIsThere() {
        Grant grant = granted("got");
        ListReply reply = server.calls()
                .list(ListRequest.newBuilder().setOverlapping("name:got").build());
        assertThat(reply.getLeasesList()).singleElement().satisfies(view -> {
            assertThat(view.getHolding().getToken()).isEqualTo(grant.getToken());
            assertThat(view.getHolding().getHolder()).isEqualTo("test");
            assertThat(view.getStatus()).isEqualTo(LeaseView.Status.HELD);
        });
        assertThat(reply.toString()).doesNotContain(grant.getLeaseId());
    }

    @Test
    void aForcedReleaseEndsSomeoneElsesLease() {
        Grant grant = granted("forced");
        ForceReleaseRequest.Builder request = ForceReleaseRequest.newBuilder()
                .setScope("name:forced")
                .setToken(grant.getToken() + 1);
        assertThat(server.calls().forceRelease(request.build()).getRefused().getReason())
                .isEqualTo(Reason.NOT_HOLDER);
        request.setToken(grant.getToken());
        assertThat(server.calls().forceRelease(request.build()).hasEnded()).isTrue();
        assertThat(server.calls().renew(renew(grant)).getOutcomes(0).hasRefused())
                .isTrue();
    }

    @Test
    void aCheckTellsCurrentStaleAndUnknownTokens() {
        Grant first = granted("checked");
        assertThat(check("checked", first.getToken()).getStanding())
                .isEqualTo(CheckReply.Standing.CURRENT);
        server.calls().release(release(first));
        assertThat(check("checked", first.getToken()).getStanding())
                .isEqualTo(CheckReply.Standing.UNKNOWN);
        Grant second = granted("checked");
        CheckReply stale = check("checked", first.getToken());
        assertThat(stale.getStanding()).isEqualTo(CheckReply.Standing.STALE);
        assertThat(stale.getNewest()).isEqualTo(second.getToken());
        assertThat(check("checked", second.getToken() + 1).getStanding())
                .isEqualTo(CheckReply.Standing.UNKNOWN);
    }

    @Test
    void aCheckKnowsThatALeaseOfLessDoesNotCoverMore() {
        AcquireRequest part = acquire("").clearScopes().addScopes("path:/c/x").build();
        long token = server.calls().acquire(part).getGranted().getHolding().getToken();
        CheckRequest.Builder request = CheckRequest.newBuilder().setToken(token);
        assertThat(server.calls().check(request.setScope("path:/c/x").build()).getStanding())
                .isEqualTo(CheckReply.Standing.CURRENT);
        assertThat(server.calls().check(request.setScope("subtree:/c").build()).getStanding())
                .isEqualTo(CheckReply.Standing.UNKNOWN);
    }

    @Test
    void aCheckDoesNotTakeALaterShareForASuccessor() {
        Grant first = share("shared");
        share("shared");
        long token = first.getToken();
        assertThat(check("shared", token).getStanding()).isEqualTo(CheckReply.Standing.CURRENT);
        server.calls().release(release(first));
        assertThat(check("shared", token).getStanding()).isEqualTo(CheckReply.Standing.UNKNOWN);
    }

    private Grant share(String name) {
        return grant(server.calls().acquire(acquire(name).setMode(Mode.SHARED).build()));
    }

    private CheckReply check(String name, long token) {
        return server.calls()
                .check(CheckRequest.newBuilder()
                        .setScope("name:" + name)
                        .setToken(token)
                        .build());
    }

    @Test
    void aHostedGuardAdmitsRisingTokensOnly() {
        AdmitRequest.Builder request = AdmitRequest.newBuilder().setResource("printer");
        assertThat(server.calls().admit(request.setToken(5).build()).hasAdmitted())
                .isTrue();
        assertThat(server.calls().admit(request.setToken(5).build()).hasAdmitted())
                .isTrue();
        assertThat(server.calls().seal(request.setToken(7).build()).hasAdmitted())
                .isTrue();
        AdmitReply stale = server.calls().admit(request.setToken(6).build());
        assertThat(stale.getMark()).isEqualTo(7);
        assertThat(stale.getStale().getMessage()).contains("6").contains("7");
    }

    @Test
    void infoTellsWhatTheEngineGuarantees() {
        InfoReply info = server.calls().info(InfoRequest.getDefaultInstance());
        assertThat(info.getEngine()).isEqualTo("memory");
        assertThat(info.getDurable()).isFalse();
        assertThat(info.getFairQueue()).isTrue();
        assertThat(info.getStopping()).isFalse();
    }

    // --- errors -----------------------------------------------------------------------------

    @Test
    void whatBreaksARuleIsInvalidAndSaysWhich() {
        for (AcquireRequest wrong : List.of(
                acquire("x").setLeaseId("short").build(),
                acquire("x").clearScopes().build(),
                acquire("x").addScopes("inode:nonsense").build(),
                acquire("x").setModeValue(77).build(),
                acquire("x").setNamespace("Not A Name").build(),
                acquire("x").setNamespace("a~guards").build(),
                acquire("x").setUnlessCompletedSince(-1).build(),
                acquire("x").setTtl(seconds(0)).build(),
                acquire("x").setWait(seconds(-1)).build())) {
            Failure failure =
                    failure(Status.Code.INVALID_ARGUMENT, () -> server.calls().acquire(wrong));
            assertThat(failure.getKind()).isEqualTo(Failure.Kind.INVALID);
            assertThat(failure.getMessage()).isNotBlank().doesNotContain(wrong.getLeaseId());
        }
    }

    @Test
    void whatIsBeyondALimitSaysHowHighItIs() {
        Failure failure = failure(
                Status.Code.INVALID_ARGUMENT,
                () -> server.calls()
                        .acquire(acquire("x").setTtl(seconds(90_000)).build()));
        assertThat(failure.getMessage())
                .isEqualTo("the field 'ttl' is 90000s; it must be at most 86400s");
    }

    @Test
    void otherCallsRefuseWhatBreaksARuleToo() {
        invalid(() -> server.calls().renew(renew(Grant.getDefaultInstance())));
        invalid(() -> server.calls().rotate(RotateRequest.getDefaultInstance()));
        invalid(() -> server.calls().release(release(Grant.getDefaultInstance())));
        invalid(() -> server.calls().complete(CompleteRequest.getDefaultInstance()));
        invalid(() ->
                server.calls().list(ListRequest.newBuilder().setLimit(1001).build()));
        invalid(() -> server.calls().forceRelease(ForceReleaseRequest.getDefaultInstance()));
        invalid(() -> server.calls().check(CheckRequest.getDefaultInstance()));
        invalid(() -> server.calls().admit(AdmitRequest.getDefaultInstance()));
        invalid(() -> server.calls().seal(AdmitRequest.newBuilder().setToken(1).build()));
        invalid(() ->
                server.calls().info(InfoRequest.newBuilder().setNamespace("..").build()));
    }

    @Test
    void aMessageThatIsTooLongIsRefused() {
        AcquireRequest large = acquire("x").setHolder("x".repeat(5 << 20)).build();
        Failure failure =
                failure(Status.Code.RESOURCE_EXHAUSTED, () -> server.calls().acquire(large));
        assertThat(failure.getMessage()).isEqualTo("the message is too long");
    }

    private static void invalid(ThrowingCallable call) {
        assertThat(failure(Status.Code.INVALID_ARGUMENT, call).getKind())
                .isEqualTo(Failure.Kind.INVALID);
    }

    static Failure failure(Status.Code code, ThrowingCallable call) {
        StatusRuntimeException refused = catchThrowableOfType(StatusRuntimeException.class, call);
        assertThat(refused).isNotNull();
        assertThat(refused.getStatus().getCode()).isEqualTo(code);
        try {
            Any detail =
                    Objects.requireNonNull(StatusProto.fromThrowable(refused)).getDetails(0);
            return detail.unpack(Failure.class);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }
}
