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
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
}
