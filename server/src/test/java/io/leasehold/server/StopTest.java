// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.call;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static io.leasehold.server.Requests.renew;
import static io.leasehold.server.Requests.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How a server ends and comes back. */
@Timeout(60)
final class StopTest {

    private static ServerOptions draining(String store) {
        ServerOptions options = TestServer.options(store);
        ServerOptions.Bounds bounds = options.bounds();
        return options.withBounds(new ServerOptions.Bounds(
                bounds.calls(), bounds.namespaces(), Duration.ofSeconds(2)));
    }

    @Test
    void aStopTurnsWaitersAwayAndServesRenewalsAndReleasesForAMoment() {
        VirtualTime time = VirtualTime.create();
        TestServer server = TestServer.start(draining("memory").withTime(time));
        TestSession session = server.session();
        Grant holder = grant(session.call(call(acquire("lock"))).getAcquired());
        CompletableFuture<Answer> waiting =
                session.send(call(acquire("lock").setWait(seconds(60)))).get(0);
        var waiters = ListRequest.newBuilder().setOverlapping("name:lock").build();
        Await.until(() -> server.calls().list(waiters).getLeases(0).getWaiters() == 1);

        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server.server()::close);
        Failure turnedAway = waiting.orTimeout(30, TimeUnit.SECONDS).join().getFailure();
        assertThat(turnedAway.getKind()).isEqualTo(Failure.Kind.UNAVAILABLE);
        assertThat(turnedAway.getMessage()).isEqualTo("the server is stopping");
        assertThat(server.calls().info(InfoRequest.getDefaultInstance()).getStopping())
                .isTrue();
        assertThat(session.call(call(acquire("new"))).getFailure().getKind())
                .isEqualTo(Failure.Kind.UNAVAILABLE);
        assertThat(session.call(call(renew(holder))).getRenewed().getOutcomes(0).hasRenewed())
                .isTrue();
        assertThat(session.call(call(release(holder))).getEnded().hasEnded()).isTrue();
        assertThat(stopped).isNotDone();

        time.advance(Duration.ofSeconds(2));
        stopped.orTimeout(30, TimeUnit.SECONDS).join();
        assertThatThrownBy(() -> session.end().get(30, TimeUnit.SECONDS)).isNotNull();
        server.close();
    }

    @Test
    void aStopWithNobodyConnectedTakesNoTime() {
        LeaseholdServer server =
                LeaseholdServer.start(draining("memory").withTime(VirtualTime.create()));
        server.close();
        server.close();
    }

    @Test
    void leasesAndMarksOutliveTheServerOnTheJournal(@TempDir Path directory) {
        String store = "journal:" + directory.resolve("data");
        Grant grant;
        try (TestServer server = TestServer.start(TestServer.options(store))) {
            grant = grant(server.calls().acquire(acquire("kept").build()));
            assertThat(HostedGuardsTest.admit(server, "r", 9).hasAdmitted()).isTrue();
            assertThat(server.calls().info(InfoRequest.getDefaultInstance()).getDurable())
                    .isTrue();
        }
        try (TestServer server = TestServer.start(TestServer.options(store))) {
            assertThat(server.calls().renew(renew(grant)).getOutcomes(0).hasRenewed())
                    .isTrue();
            assertThat(HostedGuardsTest.admit(server, "r", 8).getMark()).isEqualTo(9);
            assertThat(HostedGuardsTest.admit(server, "r", 9).hasAdmitted()).isTrue();
        }
    }

    @Test
    void aJournalThatIsInUseIsNotServedTwice(@TempDir Path directory) {
        String store = "journal:" + directory.resolve("data");
        try (TestServer server = TestServer.start(TestServer.options(store))) {
            assertThat(server.server().guarantees().durable()).isTrue();
            assertThatThrownBy(() -> LeaseholdServer.start(TestServer.options(store)))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void aPortThatIsTakenIsToldAsSuch() {
        try (TestServer server = TestServer.onMemory()) {
            int taken = server.server().port();
            assertThatThrownBy(() ->
                            LeaseholdServer.start(TestServer.options("memory").withPort(taken)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:" + taken);
        }
    }

    @Test
    void aStepOfTheWallClockIsTold() {
        VirtualTime time = VirtualTime.create();
        TestServer server = TestServer.start(TestServer.options("memory").withTime(time));
        time.advance(Duration.ofSeconds(50));
        assertThat(step(server)).isZero();
        time.stepWall(Duration.ofSeconds(-7));
        assertThat(step(server)).isEqualTo(-7);
        server.closeIn(time);
    }

    private static long step(TestServer server) {
        return server.calls()
                .info(InfoRequest.getDefaultInstance())
                .getClockStep()
                .getSeconds();
    }
}
