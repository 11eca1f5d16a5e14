// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Flight;
import io.leasehold.Lease;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.NotSharedException;
import io.leasehold.spi.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** How long the callers of a single flight wait, what is kept for whom, and what they leave. */
final class FlightTest {

    private static final Duration WAIT = Duration.ofSeconds(20);

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");
    private final List<Runnable> queue = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();

    private static SingleFlight<String> of(Node node, Duration keepFor) {
        SingleFlightOptions options =
                SingleFlightOptions.defaults().withWait(WAIT).withKeepFor(keepFor);
        return node.leasehold.singleFlight("reports", Codec.strings(), options);
    }

    private String run(String value) {
        runs.add(value);
        return value;
    }

    private List<LeaseView.Status> statuses() {
        return world.leases().stream().map(LeaseView::status).toList();
    }

    @Test
    void aCallerThatWaitsLessThanTheOthersLeavesAlone() {
        Lease held = two.holds("reports/june");
        SingleFlight<String> flights = of(one, Duration.ZERO);
        CompletableFuture<Flight<String>> patient = flights.getAsync("june", t -> run("done"));
        OtherThread<Flight<String>> hurried = OtherThread.calls(
                        () -> flights.get("june", Duration.ofSeconds(2), t -> run("never")))
                .awaitBlocked();
        world.pass(Duration.ofSeconds(2).minusNanos(1));
        assertThat(hurried.isDone()).isFalse();
        world.pass(Duration.ofNanos(1));
        assertThat(hurried.failure()).isInstanceOf(InProgressException.class);
        assertThat(patient).isNotDone();
        held.close();
        assertThat(patient.join().value()).isEqualTo("done");
        assertThat(runs).containsExactly("done");
    }

    @Test
    void aValueFromAStoreThatTakesLongerThanARepeatIsSharedAndNotMadeAgain() {
        Node later = Node.working(world, "later", queue::add);
        CompletableFuture<Flight<String>> working =
                of(later, Duration.ZERO).getAsync("june", t -> run("done"));
        two.delay(World.PATIENCE.dividedBy(4).plusMillis(1));
        CompletableFuture<Flight<String>> following =
                of(two, Duration.ZERO).getAsync("june", t -> run("again"));
        world.pass(WAIT.dividedBy(2));
        queue.remove(0).run();
        world.pass(WAIT.dividedBy(2));
        assertThat(working).isCompletedWithValueMatching(value -> value.value().equals("done"));
        assertThat(following)
                .isCompletedWithValueMatching(value -> value.value().equals("done"));
        assertThat(runs).containsExactly("done");
    }

    @Test
    void theOnlyCallerThatWaitsLessLeavesNothingBehind() {
        Lease held = two.holds("reports/june");
        OtherThread<Flight<String>> hurried = OtherThread.calls(() -> of(one, Duration.ZERO)
                        .get("june", Duration.ofSeconds(2), t -> run("never")))
                .awaitBlocked();
        world.pass(Duration.ofSeconds(2));
        assertThat(hurried.failure()).isInstanceOf(InProgressException.class);
        assertThat(world.leases().get(0).waiters()).isZero();
        held.close();
        world.pass(WAIT);
        assertThat(runs).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aCallerThatLeavesWhileItsPlaceInTheQueueIsAskedForLeavesNothingBehind() {
        two.holds("reports/june");
        one.delay(Duration.ofSeconds(1));
        CompletableFuture<Flight<String>> leaving =
                of(one, Duration.ZERO).getAsync("june", t -> run("never"));
        one.wire.beforeSending = () -> leaving.cancel(false);
        world.pass(Duration.ofSeconds(2)); // it is told that the flight is under way elsewhere
        assertThat(leaving).isCancelled();
        assertThat(one.wire.acquires).hasSize(2);
        world.pass(Duration.ofSeconds(2));
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    @Test
    void anErrorThatTheJvmMustSeeIsThrownOnWhenTheCallersHaveBeenTold() {
        Node later = Node.working(world, "later", queue::add);
        OutOfMemoryError fatal = new OutOfMemoryError("thrown by a test's work");
        CompletableFuture<Flight<String>> failing = of(later, Duration.ZERO).getAsync("june", t -> {
            throw fatal;
        });
        assertThatThrownBy(() -> queue.remove(0).run()).isSameAs(fatal);
        assertThat(failing).isCompletedExceptionally();
    }

    @Test
    void callersWhoseWorkCouldNotBeginBeforeTheCloseAreTold() {
        Node later = Node.working(world, "later", queue::add);
        CompletableFuture<Flight<String>> late =
                of(later, Duration.ZERO).getAsync("june", t -> run("never"));
        later.leasehold.close();
        queue.remove(0).run();
        assertThat(late).isCompletedExceptionally();
        assertThat(runs).isEmpty();
    }

    @Test
    void whoseValueIsTooLargeToBeSharedIsToldSo() {
        assertThatThrownBy(() -> of(one, Duration.ZERO).get("june", t -> "x".repeat(70_000)))
                .isInstanceOf(NotSharedException.class)
                .hasMessageNotContaining("codec")
                .hasMessageContaining("65536");
    }

    @Test
    void aCallerThatNeedNotWaitLeavesNoTimer() {
        Flight<String> flight = of(one, Duration.ZERO).get("june", WAIT, t -> run("done"));
        assertThat(flight.value()).isEqualTo("done");
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aCallerWhoseValueComesInTimeLeavesNoTimer() {
        Lease held = two.holds("reports/june");
        OtherThread<Flight<String>> waiting = OtherThread.calls(
                        () -> of(one, Duration.ZERO).get("june", WAIT, t -> run("done")))
                .awaitBlocked();
        held.close();
        assertThat(waiting.result().value()).isEqualTo("done");
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void anInterruptedCallerLeavesWithTheFlagSet() {
        two.holds("reports/june");
        OtherThread<Flight<String>> waiting = OtherThread.calls(
                        () -> of(one, Duration.ZERO).get("june", t -> run("never")))
                .awaitBlocked();
        waiting.thread.interrupt();
        assertThat(waiting.failure())
                .isInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("reports/june");
        assertThat(waiting.wasInterruptedAtEnd()).isTrue();
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    @Test
    void workElsewhereIsWaitedForAsLongAsTheOptionsSay() {
        two.holds("reports/june");
        CompletableFuture<Flight<String>> following =
                of(one, Duration.ZERO).getAsync("june", t -> run("never"));
        world.pass(WAIT.minusMillis(1));
        assertThat(following).isNotDone();
        world.passMillis(1);
        assertThat(following).isDone();
        assertThatThrownBy(following::join).hasCauseInstanceOf(InProgressException.class);
    }

    @Test
    void workIsInterruptedWhenItsLeaseIsLost() {
        CountDownLatch never = new CountDownLatch(1);
        Node later = Node.working(world, "later", queue::add);
        of(later, Duration.ZERO).getAsync("june", t -> {
            never.await();
            return run("done");
        });
        OtherThread<Boolean> working = OtherThread.runs(queue.remove(0)).awaitBlocked();
        later.network.cutOff(true);
        world.pass(World.TRUSTED);
        assertThat(working.result()).isTrue();
        assertThat(runs).isEmpty();
    }

    @Test
    void workIsBegunThreeTimesBeforeTheCallersHearThatItsLeaseWasLost() {
        Node later = Node.working(world, "later", queue::add);
        CompletableFuture<Flight<String>> flight =
                of(later, Duration.ZERO).getAsync("june", t -> run("done"));
        for (int generation = 1; generation <= 3; generation++) {
            assertThat(flight).isNotDone();
            assertThat(queue).hasSize(generation);
            int asked = later.wire.acquires.size();
            later.network.cutOff(true);
            while (later.wire.acquires.size() == asked && !flight.isDone()) {
                world.passMillis(100);
            }
            later.network.cutOff(false);
            world.pass(World.PATIENCE);
        }
        assertThatThrownBy(flight::join).hasCauseInstanceOf(LeaseLostException.class);
        queue.forEach(Runnable::run);
        assertThat(runs).isEmpty();
        world.pass(World.TTL);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aValueThatIsNotToBeKeptIsLeftForThePatienceForThoseWhoseAnswerGotLost() {
        of(one, Duration.ZERO).get("june", t -> run("done"));
        world.pass(World.PATIENCE.minusMillis(1));
        assertThat(statuses()).containsExactly(LeaseView.Status.COMPLETED);
        world.passMillis(1);
        assertThat(statuses()).isEmpty();
    }

    @Test
    void aValueIsKeptForAsLongAsTheOptionsSay() {
        SingleFlight<String> flights = of(one, Duration.ofHours(1));
        flights.get("june", t -> run("first"));
        world.pass(Duration.ofHours(1).minusMillis(1));
        assertThat(flights.get("june", t -> run("second")).value()).isEqualTo("first");
        world.passMillis(1);
        assertThat(flights.get("june", t -> run("second")).value()).isEqualTo("second");
    }

    @Test
    void anErrorIsLeftForThePatienceOnlyAlsoIfValuesAreKept() {
        assertThatThrownBy(() -> of(one, Duration.ofHours(1)).get("june", t -> {
                    throw new IllegalStateException("thrown by a test's work");
                }))
                .hasCauseInstanceOf(IllegalStateException.class);
        world.pass(World.PATIENCE.minusMillis(1));
        assertThat(statuses()).containsExactly(LeaseView.Status.FAILED);
        world.passMillis(1);
        assertThat(statuses()).isEmpty();
    }

    @Test
    void forgettingWaitsForWorkElsewhereAsLongAsTheOptionsSay() {
        Lease held = two.holds("reports/june");
        OtherThread<Boolean> forgetting = OtherThread.runs(
                        () -> of(one, Duration.ofHours(1)).forget("june"))
                .awaitBlocked();
        world.pass(WAIT.minusMillis(1));
        assertThat(forgetting.isDone()).isFalse();
        world.passMillis(1);
        assertThat(forgetting.failure())
                .isInstanceOf(InProgressException.class)
                .hasMessageContaining("two");
        held.close();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void anInterruptedForgetLeavesTheQueueWithTheFlagSet() {
        two.holds("reports/june");
        OtherThread<Boolean> forgetting = OtherThread.runs(
                        () -> of(one, Duration.ofHours(1)).forget("june"))
                .awaitBlocked();
        assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        forgetting.thread.interrupt();
        assertThat(forgetting.failure()).isInstanceOf(LockInterruptedException.class);
        assertThat(forgetting.wasInterruptedAtEnd()).isTrue();
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    @Test
    void forgettingLeavesNothingBehind() {
        SingleFlight<String> flights = of(one, Duration.ofHours(1));
        flights.get("june", t -> run("first"));
        flights.forget("june");
        assertThat(world.leases()).isEmpty();
        assertThat(flights.get("june", t -> run("second")).value()).isEqualTo("second");
    }

    @Test
    void aLateValueThatCanNotBeEncodedFailsNobodyWhoWaitsForTheNextWork() {
        Node later = Node.working(world, "later", queue::add);
        Codec<String> choosy = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                assertThat(value).isNotEqualTo("late");
                return Codec.strings().encode(value);
            }

            @Override
            public String decode(byte[] bytes) {
                return Codec.strings().decode(bytes);
            }
        };
        CompletableFuture<Flight<String>> flight = later.leasehold
                .singleFlight("reports", choosy)
                .getAsync("june", token -> {
                    if (!runs.isEmpty()) {
                        return run("in time");
                    }
                    later.network.cutOff(true);
                    for (int i = 0; later.wire.acquires.size() == 1; i++) {
                        assertThat(i)
                                .as("tenths of a second until the next work is asked for")
                                .isLessThan(1_000);
                        world.passMillis(100);
                    }
                    later.network.cutOff(false);
                    world.pass(World.PATIENCE);
                    return run("late");
                });

        queue.remove(0).run();
        assertThat(flight).isNotDone();
        queue.remove(0).run();

        assertThat(flight.join().value()).isEqualTo("in time");
        assertThat(runs).containsExactly("late", "in time");
    }

    @Test
    void aCodecsErrorThatTheJvmMustSeeIsThrownOnWhenTheLeaseHasBeenGivenBack() {
        Node later = Node.working(world, "later", queue::add);
        OutOfMemoryError fatal = new OutOfMemoryError("thrown by a test's codec");
        Codec<String> failing = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                throw fatal;
            }

            @Override
            public String decode(byte[] bytes) {
                return "";
            }
        };
        CompletableFuture<Flight<String>> flight = later.leasehold
                .singleFlight("reports", failing, SingleFlightOptions.defaults())
                .getAsync("june", t -> run("done"));
        assertThatThrownBy(() -> queue.remove(0).run()).isSameAs(fatal);
        assertThat(world.leases()).isEmpty();
        assertThat(flight).isCompletedExceptionally();
    }
}
