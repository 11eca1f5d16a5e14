// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.stub.StreamObserver;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.LeaseView;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.ThreadLeakCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls and their answers on one stream. */
@ExtendWith(ThreadLeakCheck.class)
final class RemoteCallsTest {

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final SessionServer server = SessionServer.on(behind);
    private final RemoteLeaseStore store = RemoteLeaseStore.connect(
            RemoteOptions.at(server.address()).withPatience(RealTime.PATIENCE));

    @AfterEach
    void close() {
        store.close();
        server.close();
        behind.close();
    }

    @Test
    void everyAnswerReachesItsOwnCallerInWhateverOrderTheyCome() {
        Queue<Call> taken = new ConcurrentLinkedQueue<>();
        List<Answer> answers = new ArrayList<>();
        server.handler = (call, session) -> {
            taken.add(call);
            if (taken.size() == 200) {
                answerInReverse(taken, answers, session);
            }
            return true;
        };
        List<CompletionStage<LeasePage>> asked = new ArrayList<>();
        for (int limit = 1; limit <= 200; limit++) {
            asked.add(store.list(new LeaseQuery(Optional.empty(), Optional.empty(), limit)));
        }
        for (int limit = 1; limit <= 200; limit++) {
            assertThat(RealTime.answer(asked.get(limit - 1)).leases().get(0).waiters())
                    .isEqualTo(limit);
        }
    }

    /** Each listing answers with the limit of its own question as the number of waiters. */
    private static void answerInReverse(
            Queue<Call> calls, List<Answer> answers, StreamObserver<SessionReply> session) {
        for (Call call : calls) {
            LeaseView view = LeaseView.newBuilder()
                    .setHolding(io.leasehold.protocol.v1.Holding.newBuilder()
                            .addScopes("name:a")
                            .setHolder("somebody")
                            .setToken(1))
                    .setWaiters(call.getList().getLimit())
                    .build();
            answers.add(
                    0,
                    Answer.newBuilder()
                            .setId(call.getId())
                            .setListed(ListReply.newBuilder().addLeases(view))
                            .build());
        }
        session.onNext(SessionReply.newBuilder().addAllAnswers(answers).build());
    }

    @Test
    void callsThatComeTogetherTravelTogether() {
        List<CompletionStage<LeasePage>> asked = new ArrayList<>();
        // the thread that sends is the one that asks here, so nothing is sent in between
        RealTime.answer(store.list(LeaseQuery.all()).thenAccept(first -> {
            for (int i = 0; i < 100; i++) {
                asked.add(store.list(LeaseQuery.all()));
            }
        }));
        asked.forEach(RealTime::answer);
        assertThat(server.messages).hasSize(2);
        assertThat(server.calls()).hasSize(101);
    }

    @Test
    void whoHoldsGoesBeforeWhoWants() {
        Grant grant = Asking.granted(store, "held");
        List<CompletionStage<?>> asked = new ArrayList<>();
        RealTime.answer(store.list(LeaseQuery.all()).thenAccept(first -> {
            for (int i = 0; i < 50; i++) {
                asked.add(store.acquire(Asking.request("wanted-" + i)));
            }
            asked.add(store.renew(RenewalRequest.of(grant, Duration.ofSeconds(30))));
        }));
        asked.forEach(RealTime::answer);
        assertThat(server.calls().get(2).hasRenew()).isTrue();
    }

    @Test
    void manyRenewalsGoInSeveralMessagesAndComeBackInOrder() {
        List<RenewalRequest> requests = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            Grant grant = Asking.granted(behind.acquire(Asking.request("lease-" + i))
                    .toCompletableFuture()
                    .join());
            requests.add(
                    RenewalRequest.of(grant, Duration.ofSeconds(60)).ifVersion(i % 7 == 0 ? 5 : 1));
        }
        List<Renewal> renewals = RealTime.answer(store.renewAll(requests));
        assertThat(renewals).hasSize(2_500);
        for (int i = 0; i < 2_500; i++) {
            assertThat(renewals.get(i) instanceof Renewal.Renewed).isEqualTo(i % 7 != 0);
        }
        assertThat(server.calls()).hasSizeGreaterThan(2);
        assertThat(server.messages).allMatch(message -> message.getSerializedSize() < 1 << 20);
    }

    @Test
    void nothingToRenewIsAnAnswerWithNothing() {
        assertThat(RealTime.answer(store.renewAll(List.of()))).isEmpty();
    }

    @Test
    void everyKindOfFailureIsTheExceptionThatMeansTheSame() {
        Map<Failure.Kind, Class<? extends LeaseholdException>> meanings = Map.of(
                Failure.Kind.INVALID, RequestRefusedException.class,
                Failure.Kind.UNAVAILABLE, StoreUnavailableException.class,
                Failure.Kind.OUTCOME_UNKNOWN, OutcomeUnknownException.class,
                Failure.Kind.LIMIT_EXCEEDED, LimitExceededException.class,
                Failure.Kind.UNAUTHENTICATED, RequestRefusedException.class,
                Failure.Kind.PERMISSION_DENIED, RequestRefusedException.class,
                Failure.Kind.FAILURE_UNSPECIFIED, OutcomeUnknownException.class);
        for (Failure.Kind kind : Failure.Kind.values()) {
            if (kind != Failure.Kind.UNRECOGNIZED) {
                fails(Failure.newBuilder()
                        .setKind(kind)
                        .setMessage("as it was said")
                        .build());
                assertThatThrownBy(() -> Asking.granted(store, "a"))
                        .isInstanceOf(meanings.get(kind))
                        .hasMessage("as it was said");
            }
        }
    }

    @Test
    void aLimitIsToldWithItsNameAndHeight() {
        fails(Failure.newBuilder()
                .setKind(Failure.Kind.LIMIT_EXCEEDED)
                .setMessage("too many")
                .setLimit("waiters per scope")
                .setLimitValue(10_000)
                .build());
        assertThatThrownBy(() -> Asking.granted(store, "a"))
                .isInstanceOfSatisfying(LimitExceededException.class, limited -> {
                    assertThat(limited.limit()).isEqualTo("waiters per scope");
                    assertThat(limited.maximum()).isEqualTo(10_000);
                });
    }

    private void fails(Failure failure) {
        server.handler = (call, session) -> {
            session.onNext(SessionServer.reply(
                    Answer.newBuilder().setId(call.getId()).setFailure(failure).build()));
            return true;
        };
    }

    @Test
    void anAnswerThatCantBeReadLeavesTheOutcomeUnknown() {
        server.handler = (call, session) -> {
            session.onNext(
                    SessionServer.reply(Answer.newBuilder().setId(call.getId()).build()));
            return true;
        };
        assertThatThrownBy(() -> Asking.granted(store, "a"))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> RealTime.answer(store.list(LeaseQuery.all())))
                .isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void answersToNobodyAreOverheard() {
        server.handler = (call, session) -> {
            session.onNext(SessionServer.reply(
                    Answer.newBuilder().setId(call.getId() + 1_000).build()));
            return false;
        };
        assertThat(Asking.granted(store, "a").token().value()).isEqualTo(1);
    }

    @Test
    void whatTheEngineGuaranteesIsPassedOn() {
        assertThat(store.guarantees().engine()).isEqualTo("remote (memory)");
        assertThat(store.guarantees().fairQueue()).isTrue();
        assertThat(store.guarantees().durable()).isFalse();
        assertThat(store.guarantees().caveats()).containsExactly("it is only a test");
    }

    @Test
    void anAcquireThatWasSentAndGrantedWhenTheStoreIsClosedIsUnknown() {
        LeaseRequest request = Asking.request("a");
        CompletableFuture<Acquisition> granted = new CompletableFuture<>();
        server.handler = (call, session) -> {
            if (call.hasAcquire()) {
                granted.complete(RealTime.answer(behind.acquire(request)));
            }
            return call.hasAcquire();
        };
        CompletionStage<Acquisition> sent = store.acquire(request);
        assertThat(RealTime.answer(granted)).isInstanceOf(Acquisition.Granted.class);
        store.close();
        assertThatThrownBy(() -> RealTime.answer(sent)).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aStoreMayBeClosedFromWithinAnAnswer() {
        server.handler = (call, session) -> call.hasAcquire();
        CompletionStage<Acquisition> sent = store.acquire(Asking.request("a"));
        RealTime.answer(store.list(LeaseQuery.all()).thenAccept(page -> store.close()));
        assertThatThrownBy(() -> RealTime.answer(sent)).isInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> Asking.granted(store, "c"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void callsWithoutAnAnswerAreBoundedInBytesAndHoldersGoOn() {
        Grant held = Asking.granted(store, "held");
        fallSilent(new ConcurrentLinkedQueue<>());
        assertThat(askUntilRefused()).hasSizeBetween(1_000, 1_100);
        assertThat(RealTime.answer(store.renew(RenewalRequest.of(held, Duration.ofSeconds(30)))))
                .isInstanceOf(Renewal.Renewed.class);
    }

    @Test
    void callsThatAreAnsweredGiveTheirBytesBack() {
        Queue<Call> taken = new ConcurrentLinkedQueue<>();
        fallSilent(taken);
        List<CompletionStage<Acquisition>> first = askUntilRefused();
        RealTime.until("all are there", () -> taken.size() == first.size());
        Failure failure = Failure.newBuilder().setKind(Failure.Kind.UNAVAILABLE).build();
        SessionReply.Builder answers = SessionReply.newBuilder();
        taken.forEach(call ->
                answers.addAnswers(Answer.newBuilder().setId(call.getId()).setFailure(failure)));
        server.sessions.get(0).onNext(answers.build());
        first.forEach(RemoteCallsTest::awaitFailure);
        assertThat(askUntilRefused()).hasSameSizeAs(first);
    }

    @Test
    void callsThatAreDroppedGiveTheirBytesBack() {
        fallSilent(new ConcurrentLinkedQueue<>());
        List<CompletionStage<Acquisition>> first = askUntilRefused();
        server.breakSessions();
        first.forEach(RemoteCallsTest::awaitFailure);
        RealTime.eventually(() -> RealTime.answer(store.list(LeaseQuery.all())));
        assertThat(askUntilRefused()).hasSameSizeAs(first);
    }

    /** The server takes acquires and says nothing. */
    private void fallSilent(Queue<Call> taken) {
        server.handler = (call, session) -> {
            // they are large
            server.messages.clear();
            if (call.hasAcquire()) {
                taken.add(Call.newBuilder().setId(call.getId()).build());
            }
            return call.hasAcquire();
        };
    }

    /** Asks for locks with the largest records; those that were taken. */
    private List<CompletionStage<Acquisition>> askUntilRefused() {
        LeaseRecord large = LeaseRecord.of("x".repeat(LeaseRecord.MAX_BYTES - 1));
        List<CompletionStage<Acquisition>> taken = new ArrayList<>();
        while (taken.size() < 2_000) {
            CompletionStage<Acquisition> asked =
                    store.acquire(Asking.request("large-" + taken.size()).withRecord(large));
            if (asked.toCompletableFuture().isCompletedExceptionally()) {
                assertThatThrownBy(() -> RealTime.answer(asked))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("too many operations are under way");
                return taken;
            }
            taken.add(asked);
        }
        throw new AssertionError(taken.size() + " acquires of 64 KiB were taken");
    }

    private static void awaitFailure(CompletionStage<?> asked) {
        assertThatThrownBy(() -> RealTime.answer(asked)).isInstanceOf(LeaseholdException.class);
    }
}
