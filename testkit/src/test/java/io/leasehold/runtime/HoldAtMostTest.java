// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.model.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class HoldAtMostTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void theLeaseIsLostByThenAlthoughTheStoreIsHealthy() {
        Lease lease = holds(Duration.ofSeconds(100));
        AtomicInteger told = new AtomicInteger();
        lease.onLost(loss -> told.incrementAndGet());
        world.pass(Duration.ofMillis(99_999));
        assertThat(lease.isValid()).isTrue();
        world.passMillis(1);
        assertThat(lease.isValid()).isFalse();
        assertThat(told).hasValue(1);
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("held for as long as it may");
    }

    @Test
    void theStoresLeaseIsNotRenewedBeyondIt() {
        holds(Duration.ofSeconds(100));
        CompletableFuture<Lease> next = two.waits("ledger");
        world.pass(Duration.ofSeconds(99));
        // the second that is left, and what clock drift may take of a lease of 30 s
        assertThat(world.remainingInStore())
                .isBetween(Duration.ofMillis(1), Duration.ofMillis(1000 + 605));
        world.pass(Duration.ofSeconds(2));
        assertThat(Node.obtained(next).isValid()).isTrue();
    }

    @Test
    void anExplicitRenewalDoesNotReachBeyondItEither() {
        Lease lease = holds(Duration.ofSeconds(100));
        world.pass(Duration.ofSeconds(90));
        lease.renew();
        assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
        world.pass(Duration.ofSeconds(10));
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aBoundBelowTheTtlNeedsNoRenewalAtAll() {
        Lease lease = holds(Duration.ofSeconds(7));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(7));
        world.pass(Duration.ofSeconds(7));
        assertThat(lease.isValid()).isFalse();
        world.pass(World.TTL);
        assertThat(one.wire.renewals).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aBoundBelowTheTtlIsAllThatOthersWaitForAHolderThatDied() {
        holds(Duration.ofSeconds(7));
        CompletableFuture<Lease> next = two.waits("ledger");
        one.network.cutOff(true);
        world.pass(Duration.ofMillis(7_200));
        assertThat(Node.obtained(next).isValid()).isTrue();
    }

    @Test
    void theLastRenewalReachesTheBoundAtOnce() {
        holds(Duration.ofSeconds(40));
        world.pass(Duration.ofSeconds(41));
        assertThat(one.wire.renewals).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void itCountsFromTheGrantAndNotFromTheWait() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.lock(
                        "ledger", LockOptions.defaults().withHoldAtMost(Duration.ofSeconds(100)))
                .acquireAsync(Duration.ofMinutes(5));
        world.pass(Duration.ofSeconds(200));
        held.close();
        world.pass(Duration.ofSeconds(99));
        assertThat(Node.obtained(waiting).isValid()).isTrue();
        world.pass(Duration.ofSeconds(1));
        assertThat(Node.obtained(waiting).isValid()).isFalse();
    }

    @Test
    void theLongestBoundIsOneThatTheClockCanCount() {
        Lease lease = holds(LockOptions.MAX_HOLD);
        world.pass(World.TTL.multipliedBy(3));
        assertThat(lease.isValid()).isTrue();
    }

    private Lease holds(Duration atMost) {
        return one.lock("ledger", LockOptions.defaults().withHoldAtMost(atMost))
                .acquire(Duration.ZERO);
    }
}
