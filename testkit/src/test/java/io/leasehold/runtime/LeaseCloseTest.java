// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LeaseCloseTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void aClosedLeaseIsNoLongerValid() {
        Lease lease = one.holds("ledger");
        lease.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(lease.validate()).isFalse();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("it was closed");
        assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::rotate).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void closeLetsTheNextWaiterInAtOnce() {
        Lease lease = one.holds("ledger");
        CompletableFuture<Lease> waiting = two.waits("ledger");
        lease.close();
        assertThat(Node.obtained(waiting).isValid()).isTrue();
        assertThat(Node.obtained(waiting).token().value()).isEqualTo(2);
    }

    @Test
    void closeIsIdempotentAndNeverReleasesASuccessor() {
        Lease lease = one.holds("ledger");
        lease.close();
        Lease successor = one.holds("ledger"); // the same client, even
        lease.close();
        lease.close();
        assertThat(one.wire.releases).hasSize(1);
        assertThat(successor.isValid()).isTrue();
        assertThat(successor.validate()).isTrue();
    }

    @Test
    void aReleaseThatTheNetworkRepeatsLateHarmsNoSuccessor() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none()
                .duplicatingRequests(1)
                .delaying(Duration.ofSeconds(1), Duration.ofSeconds(1)));
        Node.closeWithoutWaiting(lease);
        world.pass(Duration.ofSeconds(1)); // the first copy has arrived
        Lease successor = two.holds("ledger");
        world.pass(Duration.ofSeconds(5)); // so has the second
        assertThat(successor.validate()).isTrue();
    }

    @Test
    void aReleaseThatIsLostIsRepeated() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().losingRequests(1));
        Node.closeWithoutWaiting(lease);
        one.heal();
        assertThat(two.lock("ledger").tryAcquire()).isEmpty();
        world.pass(Duration.ofSeconds(7)); // patience, a pause, again: far less than the ttl
        assertThat(two.lock("ledger").tryAcquire()).isPresent();
    }

    @Test
    void closeOnASilentStoreReturnsAfterItsPatienceWithoutThrowing() {
        Lease lease = one.holds("ledger");
        one.network.cutOff(true);
        OtherThread<Boolean> closing = OtherThread.runs(lease::close).awaitBlocked();
        assertThat(lease.isValid()).isFalse();
        world.pass(World.PATIENCE);
        assertThat(closing.result()).isTrue();
    }

    @Test
    void closeOnAStoreThatThrowsIsSilent() {
        Lease lease = one.holds("ledger");
        one.wire.beforeSending = () -> {
            throw new IllegalStateException("broken");
        };
        lease.close();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void closeAfterLossNeitherWaitsNorThrows() {
        Lease lease = one.holds("ledger");
        one.network.cutOff(true);
        world.pass(World.TTL);
        assertThat(lease.isValid()).isFalse();
        lease.close(); // on this thread: would hang if it waited for the store
        lease.close();
        assertThatThrownBy(lease::ensureValid).hasMessageContaining("not renewed in time");
    }

    @Test
    void closeKeepsTheInterruptOfItsThread() {
        Lease lease = one.holds("ledger");
        one.network.cutOff(true);
        Thread.currentThread().interrupt();
        lease.close();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void noRenewalIsSentAfterClose() {
        Lease lease = one.holds("ledger");
        lease.close();
        world.pass(World.TTL.multipliedBy(3));
        assertThat(one.wire.renewals).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aRenewalUnderWayDuringCloseLeavesNothingBehind() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(2));
        while (one.wire.renewals.isEmpty()) {
            world.passMillis(100);
        }
        Node.closeWithoutWaiting(lease);
        AtomicInteger told = new AtomicInteger();
        lease.onLost(loss -> told.incrementAndGet());
        world.pass(Duration.ofSeconds(20));
        assertThat(world.leases()).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
        assertThat(told).hasValue(0);
    }

    @Test
    void aReleaseIsTriedThreeTimesAQuarterOfThePatienceApart() {
        Lease lease = one.holds("ledger");
        one.wire.beforeSending = () -> {
            throw new StoreUnavailableException("not now");
        };
        lease.close();
        Duration pause = World.PATIENCE.dividedBy(4);
        for (int tries = 1; tries < 3; tries++) {
            world.pass(pause.minusNanos(1));
            assertThat(one.wire.releases).hasSize(tries);
            world.pass(Duration.ofNanos(1));
            assertThat(one.wire.releases).hasSize(tries + 1);
        }
        world.pass(World.TTL);
        assertThat(one.wire.releases).hasSize(3);
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aReleaseThatWasAnsweredLeavesNoTimer() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofMillis(100));
        Node.closeWithoutWaiting(lease);
        assertThat(world.time.pendingTimers()).isPositive();
        world.passMillis(200);
        assertThat(world.leases()).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }
}
