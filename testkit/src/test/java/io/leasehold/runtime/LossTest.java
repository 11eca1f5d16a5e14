// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Environment;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.Scope;
import io.leasehold.testkit.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How a lease is lost, and who hears of it: rule R13. */
final class LossTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");
    private final List<LeaseLostException> told = new ArrayList<>();

    @Test
    void aPartitionedHolderLosesItsLeaseAtTheDeadlineWithoutTheStoresWord() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        one.network.cutOff(true);
        world.pass(World.TRUSTED.minusMillis(1));
        assertThat(told).isEmpty();
        world.passMillis(1);
        assertThat(told).hasSize(1);
        assertThat(told.get(0).holding().token()).isEqualTo(lease.token());
        assertThat(told.get(0).holding().holder()).isEqualTo(lease.holder());
        assertThat(one.network.fired(Fault.CUT_OFF)).isEqualTo(one.wire.renewals.size());
        assertThat(world.leases()).as("the store still waits for the expiry").hasSize(1);
        assertOver(lease);
    }

    @Test
    void onLostFiresExactlyOnce() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        one.network.cutOff(true);
        for (int i = 0; i < 100; i++) {
            world.pass(Duration.ofSeconds(1));
            boolean unused = lease.isValid();
        }
        one.heal();
        world.pass(World.TTL.multipliedBy(3));
        lease.close();
        assertThat(told).hasSize(1);
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aLeaseThatWasReleasedByForceIsLostAtTheNextRenewal() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        CompletableFuture<Lease> next = two.waits("ledger");
        world.store.forceRelease(Scope.name("ledger"), lease.token());
        assertThat(Node.obtained(next).token()).isGreaterThan(lease.token());
        assertThat(lease.isValid()).as("nobody has told the holder yet").isTrue();
        world.pass(World.TTL.dividedBy(2));
        assertThat(told).hasSize(1);
        assertOver(lease);
        assertThat(Node.obtained(next).isValid()).isTrue();
    }

    @Test
    void aLookAtThePausedClockIsEnoughToLose() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        one.process.pause();
        CompletableFuture<Lease> next = two.waits("ledger");
        world.pass(World.TTL);
        assertThat(Node.obtained(next).isValid()).isTrue();
        assertThat(told).isEmpty(); // nothing runs in a process that is stopped
        assertThat(lease.isValid()).isFalse();
        assertThat(told).hasSize(1);
        one.process.resume();
        assertThat(told).hasSize(1);
        assertThat(Node.obtained(next).isValid()).isTrue();
    }

    @Test
    void aProcessThatWasStoppedLosesItsLeaseWhenItGoesOn() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        one.process.pause();
        world.pass(World.TTL);
        one.process.resume();
        assertThat(told).hasSize(1);
        assertThat(one.wire.renewals).isEmpty();
    }

    @Test
    void aRefusalByTheStoreEndsTheLeaseAtOnce() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        world.store.withdraw(one.wire.acquires.get(0));
        Lease successor = two.holds("ledger");
        world.pass(Duration.ofSeconds(11)); // one renewal; the deadline is far
        assertThat(told).hasSize(1);
        assertThat(told.get(0)).hasMessageContaining("NOT_HOLDER");
        assertOver(lease);
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    void aLeaseInWhosePlaceAnotherOfTheSameHolderCameIsLostAtTheNextRenewalAndNotRotated() {
        Lease lease = one.holds("ledger");
        world.store.withdraw(one.wire.acquires.get(0));
        Node namesake = Node.of(world, "one", world.time, World.PATIENCE, 4711);
        Lease other = namesake.holds("ledger");
        world.pass(World.TTL.dividedBy(2));
        assertThat(lease.isValid()).isFalse();
        assertThat(other.isValid()).isTrue();
        assertThat(one.wire.rotations).isEmpty();
    }

    @Test
    void aReplyAfterTheDeadlineDoesNotReviveTheLease() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        one.delay(Duration.ofMillis(10_500)); // sent at 10 s, answered at 31 s, good until 39 s
        world.pass(World.TTL);
        assertThat(told).hasSize(1);
        for (int i = 0; i < 20; i++) {
            world.pass(Duration.ofSeconds(1));
            assertOver(lease);
        }
        assertThat(told).hasSize(1);
        assertThat(one.wire.rotations).as("nothing is asked about its token").isEmpty();
    }

    @Test
    void aReplyThatComesAfterTheDeadlineButBeforeAnyTimerRevivesNothing() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofMillis(10_500));
        world.pass(Duration.ofSeconds(12));
        one.process.pause(); // from here on only messages arrive
        world.pass(Duration.ofSeconds(21));
        assertOver(lease);
    }

    @Test
    void aListenerThatComesAfterTheLossIsCalledAtOnce() {
        Lease lease = one.holds("ledger");
        one.network.cutOff(true);
        world.pass(World.TTL);
        lease.onLost(told::add);
        assertThat(told).hasSize(1);
    }

    @Test
    void listenersStaySilentAfterClose() {
        Lease lease = one.holds("ledger");
        lease.onLost(told::add);
        lease.close();
        lease.onLost(told::add);
        one.network.cutOff(true);
        world.pass(World.TTL.multipliedBy(2));
        assertThat(told).isEmpty();
    }

    @Test
    void aListenerThatThrowsHurtsNobody() {
        Lease first = one.holds("a");
        Lease second = one.holds("b");
        first.onLost(loss -> {
            throw new IllegalStateException("listener");
        });
        first.onLost(loss -> {
            throw new AssertionError("listener");
        });
        first.onLost(told::add);
        second.onLost(told::add);
        one.network.cutOff(true);
        world.pass(World.TTL);
        assertThat(told).hasSize(2);
        one.heal();
        Lease third = one.holds("c");
        world.pass(World.TTL.multipliedBy(2));
        assertThat(third.isValid()).isTrue();
    }

    @Test
    void aSlowListenerHoldsUpNeitherRenewalsNorOthers() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch other = new CountDownLatch(1);
        ExecutorService callbacks = Executors.newFixedThreadPool(2);
        Environment environment = new Environment(world.time, callbacks, new SplittableRandom(1));
        WireTap wire = new WireTap(world.store, world.time);
        try (Leasehold leasehold =
                Leasehold.on(wire, LeaseholdOptions.defaults().withEnvironment(environment))) {
            leasehold
                    .lock("a")
                    .acquire(Duration.ZERO)
                    .onLost(loss -> assertThat(awaitQuietly(release)).isTrue());
            Lease second = leasehold.lock("b").acquire(Duration.ZERO);
            second.onLost(loss -> other.countDown());
            world.store.withdraw(wire.acquires.get(0));
            world.pass(World.TTL.multipliedBy(3)); // the first is lost, and its listener hangs
            assertThat(second.isValid()).isTrue();
            world.store.withdraw(wire.acquires.get(1));
            world.pass(World.TTL);
            assertThat(other.await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            release.countDown();
            callbacks.shutdown();
        }
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertOver(Lease lease) {
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(lease.validate()).isFalse();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        e -> assertThat(e.holding().token()).isEqualTo(lease.token()));
        assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::rotate).isInstanceOf(LeaseLostException.class);
    }
}
