// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Outcome;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Idempotent calls that are interrupted, cancelled, or can't tell the store what came of them. */
final class OnceCallTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Digest PAYLOAD = Digest.of("10 EUR");

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");
    private final List<Runnable> queue = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();

    private static Idempotency<String> of(Node node) {
        IdempotencyOptions options =
                IdempotencyOptions.keeping(DAY).withWait(Duration.ofMinutes(1));
        return node.leasehold.idempotency("payments", Codec.strings(), options);
    }

    private String run(String value) {
        runs.add(value);
        return value;
    }

    @Test
    void anInterruptedThreadBeginsNoCall() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> of(one).once("k", PAYLOAD, t -> run("paid")))
                .isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(one.wire.acquires).isEmpty();
        assertThat(runs).isEmpty();
    }

    @Test
    void aCallThatIsInterruptedWhileItWaitsLeavesTheQueueWithTheFlagSet() {
        two.holds("payments/k");
        OtherThread<Outcome<String>> waiting = OtherThread.calls(
                        () -> of(one).once("k", PAYLOAD, t -> run("paid")))
                .awaitBlocked();
        assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        waiting.thread.interrupt();
        assertThat(waiting.failure())
                .isInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("payments/k");
        assertThat(waiting.wasInterruptedAtEnd()).isTrue();
        assertThat(world.leases().get(0).waiters()).isZero();
        assertThat(runs).isEmpty();
    }

    @Test
    void aCallWithAnotherPayloadDoesNotWaitForTheOneThatRuns() {
        Node later = Node.working(world, "later", queue::add);
        CompletableFuture<Outcome<String>> running =
                of(later).onceAsync(IdempotentCall.of("k", PAYLOAD), t -> run("paid"));
        CompletableFuture<Outcome<String>> other =
                of(one).onceAsync(IdempotentCall.of("k", Digest.of("20 EUR")), t -> run("paid"));
        assertThat(other).isCompletedExceptionally();
        assertThatThrownBy(other::join).hasCauseInstanceOf(IdempotencyConflictException.class);
        assertThat(running).isNotDone();
        assertThat(world.leases().get(0).waiters()).isZero();
        assertThat(runs).isEmpty();
    }

    @Test
    void aCallThatIsInterruptedWhileItsResultIsBeingStoredStillHasTheResult() {
        OtherThread<Outcome<String>> storing = OtherThread.calls(
                        () -> of(one).once("k", PAYLOAD, t -> {
                            one.delay(Duration.ofSeconds(1));
                            return run("paid");
                        }))
                .awaitBlocked();
        storing.thread.interrupt();
        assertThat(storing.failure())
                .isInstanceOfSatisfying(
                        NotSharedException.class, e -> assertThat(e.value()).isEqualTo("paid"));
        assertThat(storing.wasInterruptedAtEnd()).isTrue();
        one.heal();
        world.pass(Duration.ofSeconds(2)); // it was stored all the same
        assertThat(of(two).once("k", PAYLOAD, t -> run("again")))
                .satisfies(outcome -> assertThat(outcome.value()).isEqualTo("paid"))
                .satisfies(outcome -> assertThat(outcome.replayed()).isTrue());
    }

    @Test
    void aResultThatTheStoreNeverAnsweredForReachesItsCallerWithTheWordThatNobodyKnows() {
        CompletableFuture<Outcome<String>> call = of(one).onceAsync(
                        IdempotentCall.of("k", PAYLOAD), t -> {
                            one.network.cutOff(true);
                            return run("paid");
                        });
        assertThat(call).isNotDone();
        world.pass(World.TTL.plus(World.PATIENCE));
        assertThatThrownBy(call::join)
                .cause()
                .isInstanceOfSatisfying(
                        NotSharedException.class, e -> assertThat(e.value()).isEqualTo("paid"))
                .hasMessageContaining("may have been stored, or not")
                .hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aCallThatIsCancelledWhileItsPlaceInTheQueueIsAskedForLeavesNothingBehind() {
        two.holds("payments/k");
        one.delay(Duration.ofSeconds(1));
        CompletableFuture<Outcome<String>> call =
                of(one).onceAsync(IdempotentCall.of("k", PAYLOAD), t -> run("paid"));
        one.wire.beforeSending = () -> call.cancel(false);
        world.pass(Duration.ofSeconds(2)); // it is told that the call runs elsewhere
        assertThat(call).isCancelled();
        assertThat(one.wire.acquires).hasSize(2);
        world.pass(Duration.ofSeconds(2));
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    @Test
    void whoseValueIsTooLargeToBeStoredIsToldSo() {
        assertThatThrownBy(() -> of(one).once("k", PAYLOAD, t -> "x".repeat(70_000)))
                .isInstanceOf(NotSharedException.class)
                .hasMessageNotContaining("codec")
                .hasMessageContaining("65536");
    }

    @Test
    void aFailureOfAnotherKindThanThoseToRememberLetsTheNextCallRun() {
        IdempotencyOptions options =
                IdempotencyOptions.keeping(DAY).remembering(IllegalArgumentException.class);
        Idempotency<String> payments =
                one.leasehold.idempotency("payments", Codec.strings(), options);
        IllegalStateException failure = new IllegalStateException("thrown by a test's work");
        assertThatThrownBy(() -> payments.once("k", PAYLOAD, t -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(payments.once("k", PAYLOAD, t -> run("paid")).replayed()).isFalse();
    }

    @Test
    void anErrorThatTheJvmMustSeeIsThrownOnWhenTheCallerHasBeenTold() {
        Node later = Node.working(world, "later", queue::add);
        OutOfMemoryError fatal = new OutOfMemoryError("thrown by a test's work");
        CompletableFuture<Outcome<String>> failing = of(later)
                .onceAsync(IdempotentCall.of("k", PAYLOAD), t -> {
                    throw fatal;
                });
        assertThatThrownBy(() -> queue.remove(0).run()).isSameAs(fatal);
        assertThat(failing).isCompletedExceptionally();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aCallKeepsTheLimitsOfWaitsAndRetentions() {
        IdempotentCall call = IdempotentCall.of("k", PAYLOAD);
        assertThatThrownBy(() -> call.waitingAtMost(DAY.negated()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> call.keptFor(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCallThatIsCancelledBeforeItsWorkBeganGivesTheLeaseBackAndDoesNotRun() {
        Node later = Node.working(world, "later", queue::add);
        CompletableFuture<Outcome<String>> call =
                of(later).onceAsync(IdempotentCall.of("k", PAYLOAD), t -> run("paid"));
        assertThat(world.leases()).hasSize(1);
        call.cancel(true);
        assertThat(world.leases()).isEmpty();
        queue.forEach(Runnable::run);
        assertThat(runs).isEmpty();
        assertThat(of(one).once("k", PAYLOAD, t -> run("paid by one")).replayed())
                .isFalse();
    }

    @Test
    void workThatWasLostToNobodyLeavesTheNextOneToOthers() {
        CompletableFuture<Outcome<String>> call = of(one).onceAsync(
                        IdempotentCall.of("k", PAYLOAD), t -> {
                            one.network.cutOff(true);
                            world.pass(World.TTL);
                            one.network.cutOff(false);
                            return run("paid");
                        });
        assertThatThrownBy(call::join)
                .hasCauseInstanceOf(LeaseLostException.class)
                .hasMessageContaining("no other is stored");
        assertThat(world.leases()).isEmpty(); // also what it obtained while it looked for another
        assertThat(of(two).once("k", PAYLOAD, t -> run("again")).value()).isEqualTo("again");
    }

    @Test
    void aResultIsSentAgainAfterThePatienceOrHalfOfWhatIsLeftOfTheLease() {
        List<Duration> sentAt = new ArrayList<>();
        CompletableFuture<Outcome<String>> call = of(one).onceAsync(
                        IdempotentCall.of("k", PAYLOAD), t -> {
                            one.network.cutOff(true);
                            long done = world.time.nanos();
                            one.wire.beforeSending =
                                    () -> sentAt.add(Duration.ofNanos(world.time.nanos() - done));
                            return run("paid");
                        });
        world.pass(World.TRUSTED.minusMillis(25));
        assertThat(call).isNotDone();
        Duration again = World.PATIENCE.plusMillis(20);
        for (int i = 0; i < 5; i++) {
            assertThat(sentAt.get(i)).isEqualTo(again.multipliedBy(i));
        }
        Duration left = World.TRUSTED.minus(sentAt.get(4));
        assertThat(sentAt.get(5))
                .isEqualTo(sentAt.get(4).plus(left.dividedBy(2)).plusMillis(20));
        world.pass(World.PATIENCE.plusMillis(100)); // the last one is waited for that long
        assertThat(call).isCompletedExceptionally();
        assertThat(world.time.pendingTimers()).isZero();
    }

    /** A call whose work is done, and whose result meets these faults on its way to the store. */
    private CompletableFuture<Outcome<String>> storing(Faults first, Faults then) {
        CompletableFuture<Outcome<String>> call = of(one).onceAsync(
                        IdempotentCall.of("k", PAYLOAD), t -> {
                            one.network.change(first);
                            return run("paid");
                        });
        one.network.change(then);
        world.pass(World.TTL.plus(World.PATIENCE));
        return call;
    }

    @Test
    void aResultThatNoAttemptBroughtToTheStoreFailsByTheStoresOwnWord() {
        Faults away = Faults.none().turningAway(1);
        assertThatThrownBy(storing(away, away)::join)
                .cause()
                .isInstanceOf(NotSharedException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aResultThatOneAttemptMayHaveBroughtToTheStoreFailsAsUnknown() {
        Faults unknown = Faults.none().losingRequests(1).breakingOff(1);
        assertThatThrownBy(storing(unknown, Faults.none().turningAway(1))::join)
                .cause()
                .isInstanceOf(NotSharedException.class)
                .cause()
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCauseInstanceOf(StoreUnavailableException.class);
    }
}
