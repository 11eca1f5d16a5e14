// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Call;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import io.leasehold.testkit.ThreadLeakCheck;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections that are refused, break, fall silent, and come back. */
@ExtendWith(ThreadLeakCheck.class)
final class RemoteConnectionTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final SessionServer server = SessionServer.on(behind);
    private final TcpProxy network = TcpProxy.to(server.port());
    private final RemoteOptions options = RemoteOptions.at(to(network.port()));

    @AfterEach
    void close() {
        network.close();
        server.close();
        behind.close();
    }

    private static String to(int port) {
        return "leasehold://127.0.0.1:" + port;
    }

    /** The server takes acquires and says nothing. */
    private void fallSilent() {
        server.handler = (call, session) -> call.hasAcquire();
    }

    @Test
    void noServerIsToldWhenConnecting() {
        network.refuse();
        assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("127.0.0.1:" + network.port());
    }

    @Test
    void aServerThatTakesTheConnectionAndSaysNothingIsNotWaitedForForLong() {
        network.loseReplies();
        assertThatThrownBy(() ->
                        RemoteLeaseStore.connect(options.withPatience(Duration.ofMillis(300))))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no answer within");
    }

    @Test
    void whatWasSentIsUnknownWhenTheConnectionBreaks() {
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(options)) {
            fallSilent();
            LeaseRequest request = Asking.request("a");
            CompletionStage<Acquisition> sent = store.acquire(request);
            RealTime.until("it is there", () -> server.calls().size() == 1);
            network.cut();
            assertThatThrownBy(() -> RealTime.answer(sent))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageNotContaining(request.id().reveal());
            RealTime.eventually(() -> RealTime.answer(store.list(LeaseQuery.all())));
            assertThat(server.calls().stream().filter(Call::hasAcquire))
                    .as("nothing is sent twice from here")
                    .hasSize(1);
        }
    }

    @Test
    void aStreamThatEndsAloneLeavesTheOutcomeUnknownToo() {
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(options)) {
            fallSilent();
            CompletionStage<Acquisition> sent = store.acquire(Asking.request("a"));
            RealTime.until("it is there", () -> server.calls().size() == 1);
            server.breakSessions();
            assertThatThrownBy(() -> RealTime.answer(sent))
                    .isInstanceOf(OutcomeUnknownException.class);
            RealTime.eventually(() -> RealTime.answer(store.list(LeaseQuery.all())));
        }
    }

    @Test
    void withoutAConnectionNothingIsTakenAndNobodyWaits() {
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(options)) {
            Asking.granted(store, "a");
            network.refuse();
            network.cut();
            RealTime.until("it is noticed", () -> isDown(store));
            int before = server.calls().size();
            for (int i = 0; i < 1_000; i++) {
                CompletionStage<Acquisition> asked =
                        store.acquire(Asking.request("b").waitingAtMost(LONG));
                assertThat(asked.toCompletableFuture()).isCompletedExceptionally();
                assertThatThrownBy(() -> RealTime.answer(asked))
                        .isInstanceOf(StoreUnavailableException.class);
            }
            assertThat(server.calls()).hasSize(before);
            network.heal();
            assertThat(RealTime.eventually(() -> Asking.granted(store, "c"))).isNotNull();
        }
    }

    private static boolean isDown(RemoteLeaseStore store) {
        return store.list(LeaseQuery.all()).toCompletableFuture().isCompletedExceptionally();
    }

    @Test
    void theNextServerIsUsedWhenOneIsGone() {
        try (SessionServer other = SessionServer.on(behind);
                RemoteLeaseStore store = RemoteLeaseStore.connect(
                        RemoteOptions.at(to(network.port()) + ",127.0.0.1:" + other.port()))) {
            Asking.granted(store, "a");
            assertThat(other.calls()).isEmpty();
            network.refuse();
            network.cut();
            RealTime.eventually(() -> Asking.granted(store, "b"));
            assertThat(other.calls()).isNotEmpty();
        }
    }

    @Test
    void aServerThatIsNotThereAtFirstDoesNotMatterIfAnotherIs() {
        network.refuse();
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(
                RemoteOptions.at(to(network.port()) + ",127.0.0.1:" + server.port()))) {
            assertThat(Asking.granted(store, "a")).isNotNull();
        }
    }

    @Test
    void aServerThatIsAboutToStopIsPassedOverIfThereIsAnother() {
        server.info = server.info.toBuilder().setStopping(true).build();
        try (SessionServer other = SessionServer.on(behind);
                RemoteLeaseStore store = RemoteLeaseStore.connect(
                        RemoteOptions.at(to(network.port()) + ",127.0.0.1:" + other.port()));
                RemoteLeaseStore only = RemoteLeaseStore.connect(options)) {
            Asking.granted(store, "a");
            assertThat(other.calls()).isNotEmpty();
            Asking.granted(only, "b");
        }
    }

    @Test
    void aRefusedIdentityIsToldAsSuchAndNotAsADeadServer() {
        server.refusal = Status.UNAUTHENTICATED.withDescription("who are you?");
        assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                .isInstanceOfSatisfying(
                        RequestRefusedException.class,
                        refused -> assertThat(refused.why())
                                .isEqualTo(RequestRefusedException.Why.UNAUTHENTICATED))
                .hasMessageContaining("who are you?");
    }

    @Test
    void aServerThatDropsEveryConnectionIsNotAskedWithoutAPause() {
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(options)) {
            Asking.granted(store, "a");
            server.refusal = Status.UNAVAILABLE.withDescription("not now");
            server.breakSessions();
            RealTime.until("it is noticed", () -> isDown(store));
            long before = Time.system().nanos();
            int attempts = network.accepted();
            RealTime.pass(Duration.ofSeconds(2));
            double seconds = (Time.system().nanos() - before) / 1e9;
            assertThat(network.accepted() - attempts).isLessThan((int) (seconds * 10) + 10);
            server.refusal = null;
            assertThat(RealTime.eventually(() -> Asking.granted(store, "b"))).isNotNull();
        }
    }

    // ---- silence, in time of the test's own

    @Test
    void anAnswerThatDoesNotComeIsUnknownAfterThePatience() {
        VirtualTime time = VirtualTime.create();
        RemoteOptions patient = options.within(time, new SplittableRandom(1));
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(patient)) {
            fallSilent();
            CompletionStage<Acquisition> sent = store.acquire(Asking.request("a"));
            CompletionStage<Acquisition> waits =
                    store.acquire(Asking.request("b").waitingAtMost(LONG));
            RealTime.answer(store.list(LeaseQuery.all()));
            time.advance(Duration.ofMillis(4_990));
            // what is answered in between shows that the connection is alive
            RealTime.answer(store.list(LeaseQuery.all()));
            assertThat(sent.toCompletableFuture()).isNotDone();
            advance(time, store, Duration.ofMillis(1_300));
            assertThatThrownBy(() -> RealTime.answer(sent))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(waits.toCompletableFuture()).isNotDone();
            advance(time, store, LONG);
            assertThatThrownBy(() -> RealTime.answer(waits))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(server.sessions).hasSize(1);
        }
    }

    /** In steps, each of which the store's thread has seen the end of. */
    private static void advance(VirtualTime time, RemoteLeaseStore store, Duration span) {
        for (int i = 0; i < 100; i++) {
            time.advance(span.dividedBy(100));
            RealTime.answer(store.list(LeaseQuery.all()));
        }
    }

    @Test
    void aConnectionOnWhichNothingIsHeardIsGivenUp() {
        VirtualTime time = VirtualTime.create();
        RemoteOptions patient = options.within(time, new SplittableRandom(1));
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(patient)) {
            Asking.granted(store, "a");
            network.loseReplies();
            CompletionStage<Acquisition> waits =
                    store.acquire(Asking.request("b").waitingAtMost(LONG));
            CompletionStage<Acquisition> sent = store.acquire(Asking.request("c"));
            RealTime.until("both are there", () -> server.calls().size() == 3);
            time.advance(Duration.ofSeconds(10));
            assertThatThrownBy(() -> RealTime.answer(sent))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThatThrownBy(() -> RealTime.answer(waits))
                    .as("not at the end of its wait but when the connection is given up")
                    .isInstanceOf(OutcomeUnknownException.class);
            network.heal();
            RealTime.eventually(() -> {
                time.advance(Duration.ofMillis(100));
                return Asking.granted(store, "d");
            });
        }
    }
}
