// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Flight;
import io.leasehold.Idempotency;
import io.leasehold.IdempotentCall;
import io.leasehold.Outcome;
import io.leasehold.SingleFlightOptions;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A process stops for longer than its lease, and the thread at work wakes up before the one that
 * would notice: only the store can tell it that it is too late.
 */
final class LateWorkTest {

    private static final IdempotentCall PAYMENT = IdempotentCall.of("k", Digest.of("10"));

    private final World world = World.create();
    private final Queue<Runnable> alicesWork = new ArrayDeque<>();
    private final Node alice = Node.working(world, "alice", alicesWork::add);
    private final Node bob = Node.working(world, "bob", Runnable::run);

    @AfterEach
    void close() {
        alice.process.resume();
        Node.closeWithoutWaiting(alice.leasehold);
        Node.closeWithoutWaiting(bob.leasehold);
    }

    private static Idempotency<String> payments(Node node) {
        return node.leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
    }

    /** Stops alice until her lease is over. */
    private void stopAlice() {
        alice.process.pause();
        world.pass(Duration.ofMinutes(1));
    }

    private void runAlicesWork() {
        Runnable work = alicesWork.poll();
        assertThat(work).isNotNull();
        work.run();
    }

    @Test
    void aLateFlightIsRefusedAndItsCallersGetTheNewOne() {
        SingleFlightOptions kept = SingleFlightOptions.defaults().withKeepFor(Duration.ofHours(1));
        CompletableFuture<Flight<String>> late = alice.leasehold
                .singleFlight("reports", Codec.strings(), kept)
                .getAsync("june", token -> "late");
        stopAlice();
        Flight<String> inTime = bob.leasehold
                .singleFlight("reports", Codec.strings(), kept)
                .get("june", token -> "in time");

        runAlicesWork();

        assertThat(late).isCompletedWithValue(new Flight<>("in time", true, inTime.token()));
    }

    @Test
    void aLateResultIsRefusedAndItsCallerGetsTheStoredOne() {
        CompletableFuture<Outcome<String>> late =
                payments(alice).onceAsync(PAYMENT, token -> "late");
        stopAlice();
        Outcome<String> inTime = payments(bob).once(PAYMENT, token -> "in time");

        runAlicesWork();

        assertThat(late).isCompletedWithValue(new Outcome<>("in time", true, inTime.token()));
    }

    @Test
    void aLateResultIsRefusedByAStoreThatTakesItsTimeToo() {
        CompletableFuture<Outcome<String>> late =
                payments(alice).onceAsync(PAYMENT, token -> "late");
        stopAlice();
        Outcome<String> inTime = payments(bob).once(PAYMENT, token -> "in time");
        Duration slow = World.PATIENCE.dividedBy(8);
        alice.network.change(Faults.none().delaying(slow, slow));
        alice.process.resume();

        runAlicesWork();
        world.pass(World.PATIENCE.multipliedBy(2));

        assertThat(late).isCompletedWithValue(new Outcome<>("in time", true, inTime.token()));
    }

    @Test
    void aResultThatTheStoreDidNotHearOfIsToldAgainWhileTheLeaseLasts() {
        CompletableFuture<Outcome<String>> call =
                payments(alice).onceAsync(PAYMENT, token -> "paid");
        alice.network.cutOff(true);
        runAlicesWork();
        world.passMillis(3_000);
        assertThat(call).isNotDone();

        alice.network.cutOff(false);
        world.passMillis(3_000);

        assertThat(call).isCompletedWithValueMatching(outcome -> !outcome.replayed());
        assertThat(world.leases())
                .singleElement()
                .satisfies(row -> assertThat(row.state()).isEqualTo(LeaseView.State.COMPLETED));
    }
}
