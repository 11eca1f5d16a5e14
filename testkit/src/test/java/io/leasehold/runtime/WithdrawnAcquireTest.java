// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Lease;
import io.leasehold.Outcome;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.Fault;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Acquires that are cancelled, interrupted or given up leave nothing behind. */
final class WithdrawnAcquireTest {

    /** Longer than any attempt of these tests lasts. */
    private static final Duration LATE = Duration.ofSeconds(20);

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void cancellingTheFutureLeavesTheQueue() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger");
        CompletableFuture<Lease> behind = two.waits("ledger");
        assertThat(world.leases().get(0).waiters()).isEqualTo(2);
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        assertThatThrownBy(() -> Node.obtained(waiting)).isInstanceOf(CancellationException.class);
        held.close();
        assertThat(behind).isDone();
    }

    @Test
    void aGrantThatComesAfterTheCancellationIsGivenBack() {
        one.delay(Duration.ofSeconds(1));
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        world.passMillis(1500); // granted, and the answer is under way
        assertThat(world.leases()).hasSize(1);
        acquiring.cancel(true);
        one.heal(); // nothing holds up the withdrawal, which went out slowly all the same
        world.pass(Duration.ofSeconds(2));
        assertThat(world.leases()).isEmpty();
        assertThat(two.holds("ledger").token().value()).isEqualTo(2);
        assertThat(one.wire.renewals).isEmpty();
    }

    @Test
    void aGrantThatOutlivedAllWithdrawalsIsGivenBackWhenItsAnswerComes() {
        one.delay(Duration.ofSeconds(20));
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        one.network.change(Faults.none().losingRequests(1));
        acquiring.cancel(true);
        world.pass(Duration.ofSeconds(20)); // no withdrawal has arrived, but now the request does
        assertThat(world.leases()).hasSize(1);
        one.heal();
        world.pass(Duration.ofSeconds(20));
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void whoseRequestTheStoreTookBackAsksAnewWithinItsWait() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger");
        LeaseRequest first = one.wire.acquires.get(0);
        world.store.withdraw(first);
        assertThat(world.leases().get(0).waiters()).isZero();
        world.pass(Duration.ofSeconds(1));
        assertThat(waiting).isNotDone();
        assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        assertThat(one.wire.acquires.get(one.wire.acquires.size() - 1).id())
                .isNotEqualTo(first.id());
        held.close();
        assertThat(Node.obtained(waiting).isValid()).isTrue();
    }

    @Test
    void aFutureThatTimesOutWithdrawsItsRequest() {
        two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger").orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(TimeoutException.class);
        OtherThread.await(
                () -> world.leases().get(0).waiters() == 0); // the timer's thread is at it
    }

    @Test
    void aFutureThatIsCompletedBySomebodyElseWithdrawsItsRequest() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger");
        assertThat(waiting.complete(held)).isTrue();
        assertThat(world.leases().get(0).waiters()).isZero();
        assertThat(world.leases()).hasSize(1);
    }

    @Test
    void anInterruptedAcquireLeavesTheQueueWithTheFlagSet() {
        Lease held = two.holds("ledger");
        OtherThread<Lease> acquiring = OtherThread.calls(
                        () -> one.lock("ledger").acquire(Duration.ofMinutes(1)))
                .awaitBlocked();
        assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        acquiring.thread.interrupt();
        assertThat(acquiring.failure())
                .isInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("ledger");
        assertThat(acquiring.wasInterruptedAtEnd()).isTrue();
        assertThat(world.leases().get(0).waiters()).isZero();
        held.close();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void anInterruptedThreadAsksForNothing() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> one.lock("ledger").acquire(Duration.ofSeconds(5)))
                .isInstanceOf(LockInterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(one.wire.acquires).isEmpty();
    }

    @Test
    void anAcquireOnASilentStoreEndsAsUnknownAfterItsWaitAndThePatience() {
        one.network.cutOff(true);
        Duration wait = Duration.ofSeconds(8);
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(wait);
        world.pass(wait.plus(World.PATIENCE).minusNanos(1));
        assertThat(acquiring).isNotDone();
        world.pass(Duration.ofNanos(1));
        assertThatThrownBy(() -> Node.obtained(acquiring))
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        world.pass(Duration.ofMinutes(1));
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void whatAStoreHasGrantedWhoseAnswersAreLostIsGivenBackWhenNobodyWaitsAnyMore() {
        one.network.change(Faults.none().losingReplies(1));
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ZERO);
        world.pass(World.PATIENCE.minusMillis(1));
        assertThat(world.leases()).hasSize(1);
        world.passMillis(1);
        assertThatThrownBy(() -> Node.obtained(acquiring))
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void theBlockingFormEndsTheSameWay() {
        one.network.cutOff(true);
        OtherThread<Boolean> trying = OtherThread.calls(
                        () -> one.lock("ledger").tryAcquire().isPresent())
                .awaitBlocked();
        world.pass(World.PATIENCE);
        assertThat(trying.failure()).isInstanceOf(OutcomeUnknownException.class);
    }

    @Test
    void aTimedOutAcquireLeavesNoWaiter() {
        two.holds("ledger");
        one.delay(Duration.ofMillis(100));
        CompletableFuture<Lease> waiting = one.lock("ledger").acquireAsync(Duration.ofSeconds(6));
        world.pass(Duration.ofSeconds(7));
        assertThat(waiting).isCompletedExceptionally();
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    /**
     * From here on the first attempt is lost in the network for longer than its caller waits, and so
     * will be its answer; the second one has the word.
     */
    private void loseTheFirstAttempt(Runnable acquire) {
        one.network.change(Faults.none().delaying(LATE, LATE).losingReplies(1));
        acquire.run();
        one.heal();
        world.pass(World.PATIENCE);
    }

    /** The first attempt has arrived after all. */
    private void assertThatTheFirstAttemptComesToNothing() {
        world.pass(LATE);
        assertThat(one.network.fired(Fault.REPLY_LOST))
                .as("answers to attempts")
                .isEqualTo(1);
        assertThat(world.leases())
                .noneMatch(view -> view.holding().holder().label().equals("one"))
                .allMatch(view -> view.waiters() == 0);
    }

    @Test
    void anAttemptThatArrivesAfterARepeatWasToldHeldComesToNothing() {
        Lease held = two.holds("ledger");
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        loseTheFirstAttempt(
                () -> waiting.add(one.lock("ledger").acquireAsync(World.PATIENCE.dividedBy(2))));
        assertThat(one.wire.acquires).hasSize(2);
        assertThatThrownBy(() -> Node.obtained(waiting.get(0)))
                .hasCauseInstanceOf(LockTimeoutException.class);
        held.close();
        assertThatTheFirstAttemptComesToNothing();
    }

    @Test
    void anAttemptThatArrivesAfterARepeatFoundARecordComesToNothing() {
        Duration keepFor = LATE.dividedBy(2);
        Digest digest = Digest.of("payload");
        IdempotencyOptions options = IdempotencyOptions.keeping(keepFor);
        two.leasehold.idempotency("calls", Codec.strings(), options).once("k", digest, t -> "done");
        List<CompletableFuture<Outcome<String>>> calls = new ArrayList<>();
        loseTheFirstAttempt(() -> calls.add(one.leasehold
                .idempotency("calls", Codec.strings(), options)
                .onceAsync(IdempotentCall.of("k", digest), token -> "again")));
        assertThat(one.wire.acquires).hasSize(2);
        assertThat(calls.get(0)).isCompletedWithValueMatching(Outcome::replayed);
        assertThatTheFirstAttemptComesToNothing(); // the record is gone by then
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void anAttemptThatArrivesAfterARepeatHasFailedComesToNothing() {
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        one.network.change(Faults.none().delaying(LATE, LATE).losingReplies(1));
        waiting.add(one.lock("ledger").acquireAsync(World.PATIENCE.dividedBy(2)));
        one.network.change(Faults.none().turningAway(1));
        world.pass(World.PATIENCE.dividedBy(2).plusSeconds(2)); // the longest pause is less
        assertThat(one.wire.acquires).hasSizeGreaterThan(1);
        assertThatThrownBy(() -> Node.obtained(waiting.get(0)))
                .hasCauseInstanceOf(StoreUnavailableException.class);
        one.heal();
        assertThatTheFirstAttemptComesToNothing();
    }

    @Test
    void whatAnOnlyAttemptOfUnknownOutcomeObtainedIsGivenBack() {
        one.network.change(Faults.none().breakingOff(1));
        CompletableFuture<Lease> trying = one.lock("ledger").acquireAsync(Duration.ZERO);
        assertThatThrownBy(() -> Node.obtained(trying))
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(one.wire.acquires).hasSize(1);
        one.heal();
        world.pass(World.PATIENCE);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void cancellingAtAnyMomentOverAnyNetworkLeavesNothingBehind() {
        Map<Fault, Long> fired = new EnumMap<>(Fault.class);
        for (long seed = 0; seed < 1000; seed++) {
            try {
                cancelSomewhere(seed, fired);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        for (Fault fault : Fault.values()) {
            assertThat(fired.getOrDefault(fault, 0L)).as("%s", fault).isGreaterThan(50);
        }
    }

    private static void cancelSomewhere(long seed, Map<Fault, Long> fired) {
        SplittableRandom random = new SplittableRandom(seed);
        World world = World.create();
        Node client = Node.of(world, "client", world.time, World.PATIENCE, seed);
        Node holder = world.client("holder");
        boolean busy = random.nextBoolean();
        Lease held = holder.holds(busy ? "ledger" : "other");
        client.network.change(Faults.none()
                .losingRequests(0.1)
                .losingReplies(0.1)
                .duplicatingRequests(0.2)
                .turningAway(0.1)
                .breakingOff(0.1)
                .delaying(Duration.ZERO, Duration.ofMillis(random.nextInt(1, 3000))));
        CompletableFuture<Lease> acquiring = client.waits("ledger");
        world.passMillis(random.nextInt(6000));
        if (random.nextInt(4) == 0) {
            client.network.cutOff(true);
            world.passMillis(random.nextInt(4000));
        }
        acquiring.cancel(true);
        if (!acquiring.isCancelled() && !acquiring.isCompletedExceptionally()) {
            Node.closeWithoutWaiting(Node.obtained(acquiring));
        }
        world.passMillis(random.nextInt(2000));
        client.heal();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(world.leases()).hasSize(1);
        assertThat(world.leases().get(0).waiters()).isZero();
        held.close();
        assertThat(world.leases()).isEmpty();
        assertThat(client.lock("ledger").tryAcquire()).isPresent();
        client.leasehold.close();
        assertThat(world.time.pendingTimers()).isZero();
        for (Fault fault : Fault.values()) {
            fired.merge(fault, client.network.fired(fault), Long::sum);
        }
    }
}
