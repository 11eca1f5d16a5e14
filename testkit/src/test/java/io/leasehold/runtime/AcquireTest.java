// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Limits;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

final class AcquireTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void aFreeLockIsAcquiredAtOnce() {
        try (Lease lease = one.lock("ledger").acquire(Duration.ofSeconds(5))) {
            assertThat(lease.isValid()).isTrue();
            assertThat(lease.token()).isEqualTo(world.tokenInStore());
            assertThat(lease.scope()).isEqualTo(Scope.name("ledger"));
            assertThat(lease.scopes()).containsExactly(Scope.name("ledger"));
            assertThat(lease.holder().label()).isEqualTo("one");
            assertThat(lease.toString()).contains("ledger", "token=1", "holder=one");
        }
    }

    @Test
    void tryOfABusyLockIsEmptyAndDrawsNoToken() {
        Lease first = one.holds("ledger");
        assertThat(two.lock("ledger").tryAcquire()).isEmpty();
        first.close();
        Lease second = two.lock("ledger").tryAcquire().orElseThrow();
        assertThat(second.token().value()).isEqualTo(first.token().value() + 1);
    }

    @Test
    void aTimeoutNamesHolderTokenAndWhatRemains() {
        Lease held = one.holds("ledger");
        CompletableFuture<Lease> waiting = two.lock("ledger").acquireAsync(Duration.ofSeconds(4));
        world.pass(Duration.ofSeconds(4));
        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(LockTimeoutException.class, e -> {
                    assertThat(e.heldBy().orElseThrow().token()).isEqualTo(held.token());
                    assertThat(e.heldBy().orElseThrow().holder()).isEqualTo(held.holder());
                    assertThat(e.claim().scopes()).containsExactly(Scope.name("ledger"));
                })
                .hasMessageEndingWith("ledger' is held by one for another 26.0 s (token 1)");
    }

    @Test
    void aBusyAcquireWithoutWaitTimesOutAtOnce() {
        Lease held = one.holds("ledger");
        assertThatExceptionOfType(LockTimeoutException.class)
                .isThrownBy(() -> two.lock("ledger").acquire(Duration.ZERO))
                .withMessageContaining("held by one")
                .withMessageContaining("token " + held.token());
    }

    @Test
    void waitsAreServedInOrderWithRisingTokens() {
        Lease current = one.holds("ledger");
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add((i % 2 == 0 ? two : one).waits("ledger"));
        }
        FencingToken last = current.token();
        for (int next = 0; next < waiting.size(); next++) {
            assertThat(waiting.subList(next, 20)).noneMatch(CompletableFuture::isDone);
            current.close();
            current = Node.obtained(waiting.get(next));
            assertThat(last.isOlderThan(current.token())).isTrue();
            last = current.token();
        }
    }

    @Test
    void aWaiterKeepsItsPlaceOverRepeatsOfItsRequest() {
        Lease held = one.holds("ledger");
        CompletableFuture<Lease> first = two.waits("ledger");
        world.pass(Duration.ofSeconds(20)); // several repeats
        CompletableFuture<Lease> second = one.waits("ledger");
        world.pass(Duration.ofSeconds(20));
        assertThat(two.wire.acquires).hasSizeGreaterThan(5);
        assertThat(two.wire.acquires.stream().map(r -> r.id()).distinct()).hasSize(1);
        held.close();
        assertThat(first).isDone();
        assertThat(second).isNotDone();
    }

    @Test
    void sharedLeasesAreHeldTogetherAndKeepOutExclusiveOnes() {
        LockOptions shared = LockOptions.defaults().withMode(Mode.SHARED);
        Lease reader = one.lock("ledger", shared).acquire(Duration.ZERO);
        Lease other = two.lock("ledger", shared).acquire(Duration.ZERO);
        assertThat(reader.isValid() && other.isValid()).isTrue();
        assertThat(two.lock("ledger").tryAcquire()).isEmpty();
    }

    @Test
    void severalScopesAreHeldAllOrNone() {
        Lease held = one.holds("b");
        FencedLock both = two.leasehold.lock(Scope.name("a"), Scope.name("b"));
        assertThat(both.tryAcquire()).isEmpty();
        assertThat(one.lock("a").tryUse(lease -> {})).isTrue();
        held.close();
        try (Lease lease = both.acquire(Duration.ZERO)) {
            assertThat(lease.scopes()).containsExactly(Scope.name("a"), Scope.name("b"));
            assertThat(one.lock("a").tryAcquire()).isEmpty();
        }
    }

    @Test
    void aLostReplyIsRepeatedAndObtainsTheSameGrant() {
        one.network.change(Faults.none().losingReplies(1));
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ofSeconds(5));
        assertThat(acquiring).isNotDone();
        one.heal();
        world.pass(World.PATIENCE);
        assertThat(Node.obtained(acquiring).token().value()).isEqualTo(1);
        assertThat(world.leases()).hasSize(1);
        assertThat(one.lock("other").acquire(Duration.ZERO).token().value()).isEqualTo(2);
    }

    @Test
    void aStoreThatTurnsAwayIsAskedAgainForAsLongAsTheCallerWaits() {
        one.network.change(Faults.none().turningAway(1));
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ofSeconds(5));
        world.pass(Duration.ofSeconds(3));
        assertThat(acquiring).isNotDone();
        one.heal();
        world.pass(Duration.ofSeconds(2));
        assertThat(Node.obtained(acquiring).isValid()).isTrue();
    }

    @Test
    void waitsOutsideTheLimitsAreRefusedBeforeAnythingIsSent() {
        FencedLock lock = one.lock("ledger");
        assertThatThrownBy(() -> lock.acquire(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> lock.acquireAsync(FencedLock.MAX_WAIT.plusNanos(1)))
                .isInstanceOf(LimitExceededException.class);
        assertThat(one.wire.acquires).isEmpty();
    }

    @Test
    void aWaitLongerThanTheWireAllowsStillEndsInTheLock() {
        Lease held = one.holds("ledger");
        CompletableFuture<Lease> waiting = two.lock("ledger").acquireAsync(Duration.ofHours(2));
        world.pass(Duration.ofMinutes(30));
        assertThat(waiting).isNotDone();
        held.close();
        assertThat(Node.obtained(waiting).isValid()).isTrue();
    }

    @Test
    void aWaitLongerThanTheWireAllowsGoesOnWhenAnEarlierAttemptIsToldThatTheLockIsHeld() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting =
                one.lock("ledger").acquireAsync(Limits.MAX_WAIT.multipliedBy(2));
        one.network.change(Faults.none().losingRequests(1)); // only the first one has arrived
        world.pass(Limits.MAX_WAIT);
        assertThat(world.leases().get(0).waiters()).isZero();
        assertThat(waiting).isNotDone();
        one.heal();
        world.pass(World.PATIENCE);
        held.close();
        assertThat(Node.obtained(waiting).isValid()).isTrue();
    }

    @Test
    void aSecondAnswerToOneRequestIsNoSecondLease() {
        one.delay(World.PATIENCE.dividedBy(4).plusMillis(1));
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        world.pass(World.PATIENCE.multipliedBy(2));
        assertThat(one.wire.acquires).hasSize(2);
        one.heal();
        Node.obtained(acquiring).close();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(one.wire.renewals).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void anAcquireComesBackWhenItsWaitEndsThoughItPausesBetweenAttempts() {
        one.network.change(Faults.none().turningAway(1));
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ofSeconds(6));
        world.pass(Duration.ofMillis(5_999));
        assertThat(acquiring).isNotDone();
        world.passMillis(1);
        assertThat(acquiring).isCompletedExceptionally();
    }

    @Test
    void aLockThatIsHeldByTheSameProcessIsToldAsSuch() {
        one.holds("ledger");
        assertThatThrownBy(() -> one.lock("ledger").acquire(Duration.ZERO))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("is held by this process (one)")
                .hasMessageContaining("not re-entrant");
        assertThatThrownBy(() -> two.lock("ledger").acquire(Duration.ZERO))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("is held by one")
                .hasMessageNotContaining("re-entrant");
    }

    @Test
    void pausesBetweenAttemptsGrowFrom20MillisecondsToOneSecondGiveOrTakeAHalf() {
        one.network.change(Faults.none().turningAway(1));
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ofMinutes(1));
        List<Long> sentAt = new ArrayList<>(List.of(world.time.nanos()));
        for (int millis = 0; millis < 30_000 && sentAt.size() < 14; millis++) {
            world.passMillis(1);
            if (one.wire.acquires.size() > sentAt.size()) {
                sentAt.add(world.time.nanos());
            }
        }
        assertThat(one.wire.acquires).hasSize(14);
        Set<Duration> longest = new HashSet<>();
        for (int i = 1; i < sentAt.size(); i++) {
            Duration middle = Duration.ofMillis(20L << Math.min(i - 1, 6));
            Duration pause = Duration.ofNanos(sentAt.get(i) - sentAt.get(i - 1));
            if (i > 6) {
                longest.add(pause);
            }
            assertThat(pause)
                    .as("pause " + i)
                    .isBetween(
                            middle.dividedBy(2),
                            middle.multipliedBy(3).dividedBy(2).plusMillis(1));
        }
        assertThat(longest).as("spread").hasSizeGreaterThan(3);
        acquiring.cancel(true);
        world.pass(World.PATIENCE);
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aSilentStoreIsAskedAgainEveryHalfOfThePatience() {
        one.network.cutOff(true);
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ofMinutes(1));
        for (int attempts = 1; attempts <= 8; attempts++) {
            assertThat(one.wire.acquires).hasSize(attempts);
            world.pass(World.PATIENCE.dividedBy(2).minusNanos(1));
            assertThat(one.wire.acquires).hasSize(attempts);
            world.pass(Duration.ofNanos(1));
        }
        assertThat(acquiring).isNotDone();
    }

    @Test
    void everyAttemptAsksForWhatIsLeftOfTheWait() {
        one.network.cutOff(true);
        CompletableFuture<Lease> acquiring = one.lock("ledger").acquireAsync(Duration.ofSeconds(4));
        world.pass(Duration.ofSeconds(4).plus(World.PATIENCE));
        assertThat(acquiring).isCompletedExceptionally();
        assertThat(one.wire.acquires.stream().map(request -> request.terms().waitAtMost()))
                .startsWith(Duration.ofSeconds(4), Duration.ofMillis(1500), Duration.ZERO);
        assertThat(one.wire.acquires).hasSize(4);
    }

    @Test
    void whatWasAnsweredAtTheFirstAttemptIsNotWithdrawn() {
        two.holds("ledger");
        assertThat(one.lock("ledger").tryAcquire()).isEmpty();
        one.wire.beforeSending = () -> {
            throw new LimitExceededException("leases per store", 1, "the store is full");
        };
        assertThatThrownBy(() -> one.lock("other").acquire(Duration.ofSeconds(5)))
                .isInstanceOf(LimitExceededException.class);
        one.wire.beforeSending = () -> {};
        one.holds("third").close();
        world.pass(World.PATIENCE);
        assertThat(one.wire.acquires).hasSize(3);
        assertThat(one.wire.withdrawals).isEmpty();
    }

    @Test
    void anAcquireThatIsOverLeavesNoTimer() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger");
        held.close();
        Node.obtained(waiting).close();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aStoreThatTakesLongerThanARepeatIsBelievedThatTheLockIsHeld() {
        two.holds("ledger");
        one.delay(World.PATIENCE.dividedBy(4).plusMillis(1)); // there, and back again
        CompletableFuture<Lease> trying = one.lock("ledger").acquireAsync(Duration.ZERO);
        world.pass(World.PATIENCE.dividedBy(2).plusMillis(2));
        assertThat(one.wire.acquires).hasSize(2);
        assertThat(trying).isCompletedExceptionally();
        assertThatThrownBy(trying::get).hasCauseInstanceOf(LockTimeoutException.class);
    }

    @Test
    void aRequestThatWasRepeatedIsWithdrawnWhenItsFirstAttemptIsAnswered() {
        Lease held = two.holds("ledger");
        one.delay(World.PATIENCE.dividedBy(4).plusMillis(1));
        CompletableFuture<Lease> trying = one.lock("ledger").acquireAsync(Duration.ZERO);
        world.pass(World.PATIENCE.dividedBy(4).plusMillis(1)); // the first attempt finds it held
        Node.closeWithoutWaiting(held);
        world.pass(World.PATIENCE.multipliedBy(2)); // the second is granted
        assertThat(trying).isCompletedExceptionally();
        assertThat(one.wire.withdrawals).isNotEmpty();
        assertThat(two.lock("ledger").tryAcquire()).isPresent();
    }
}
