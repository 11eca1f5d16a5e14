// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Flight;
import io.leasehold.Idempotency;
import io.leasehold.IdempotentCall;
import io.leasehold.Outcome;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseLostException;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    private static SingleFlight<String> reports(Node node) {
        SingleFlightOptions kept = SingleFlightOptions.defaults().withKeepFor(Duration.ofHours(1));
        return node.leasehold.singleFlight("reports", Codec.strings(), kept);
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

    /** Loses alice's lease before her work begins: she notices at the deadline, or only then. */
    private void loseAlicesLease(boolean noticed) {
        if (noticed) {
            alice.network.cutOff(true);
            world.pass(World.TTL);
            alice.network.cutOff(false);
        } else {
            stopAlice();
        }
    }

    @Test
    void aLateFlightIsRefusedAndItsCallersGetTheNewOne() {
        List<Flight<String>> inTime = new ArrayList<>();
        CompletableFuture<Flight<String>> late = reports(alice).getAsync("june", token -> {
            stopAlice();
            inTime.add(reports(bob).get("june", t -> "in time"));
            return "late";
        });

        runAlicesWork();

        assertThat(late)
                .isCompletedWithValue(
                        new Flight<>("in time", true, inTime.get(0).token()));
    }

    @Test
    void aFlightWhoseLeaseIsOverBeforeItsWorkBeginsBeginsAnew() {
        List<String> effects = new ArrayList<>();
        CompletableFuture<Flight<String>> flight = reports(alice).getAsync("june", token -> {
            effects.add("at " + token);
            return "done";
        });
        FencingToken lost = world.tokenInStore();
        stopAlice(); // so that she does not notice before

        runAlicesWork();

        assertThat(effects).isEmpty();
        assertThat(flight).isNotDone();
        FencingToken again = world.tokenInStore();
        assertThat(lost.isOlderThan(again)).isTrue();
        runAlicesWork();
        assertThat(effects).containsExactly("at " + again);
        assertThat(flight).isCompletedWithValue(new Flight<>("done", false, again));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCallWhoseLeaseIsLostBeforeItsWorkBeginsHasNoEffect(boolean noticed) {
        List<String> effects = new ArrayList<>();
        CompletableFuture<Outcome<String>> call =
                payments(alice).onceAsync(PAYMENT, token -> run(effects, "late"));
        loseAlicesLease(noticed);
        Outcome<String> inTime = payments(bob).once(PAYMENT, token -> run(effects, "in time"));

        runAlicesWork();

        assertThat(effects).containsExactly("in time");
        assertThatThrownBy(call::join)
                .hasCauseInstanceOf(LeaseLostException.class)
                .hasMessageContaining("the work did not begin");
        assertThat(payments(alice).once(PAYMENT, token -> run(effects, "again")).value())
                .isEqualTo(inTime.value());
    }

    private static String run(List<String> effects, String value) {
        effects.add(value);
        return value;
    }

    /** A call of alice's who is stopped in the middle of the work, until bob has done it. */
    private CompletableFuture<Outcome<String>> lateCall(List<Outcome<String>> inTime) {
        return payments(alice).onceAsync(PAYMENT, token -> {
            stopAlice();
            inTime.add(payments(bob).once(PAYMENT, t -> "in time"));
            return "late";
        });
    }

    private static void assertReplayed(
            CompletableFuture<Outcome<String>> late, List<Outcome<String>> inTime) {
        assertThat(late)
                .isCompletedWithValue(
                        new Outcome<>("in time", true, inTime.get(0).token()));
    }

    @Test
    void aLateResultIsRefusedAndItsCallerGetsTheStoredOne() {
        List<Outcome<String>> inTime = new ArrayList<>();
        CompletableFuture<Outcome<String>> late = lateCall(inTime);

        runAlicesWork();

        assertReplayed(late, inTime);
    }

    @Test
    void aLateResultIsRefusedByAStoreThatTakesItsTimeToo() {
        Duration slow = World.PATIENCE.dividedBy(8);
        List<Outcome<String>> inTime = new ArrayList<>();
        CompletableFuture<Outcome<String>> late = lateCall(inTime);
        alice.network.change(Faults.none().delaying(slow, slow));

        runAlicesWork();
        alice.process.resume();
        world.pass(World.PATIENCE.multipliedBy(2));

        assertReplayed(late, inTime);
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
