// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Election;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.Term;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.Time;
import io.leasehold.testkit.ThreadLeakCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LeaseholdCloseTest {

    private static final Duration WAY = Duration.ofSeconds(1); // of each message

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void closeGivesBackEverythingAndLeavesNoTimer() {
        List<Lease> held = List.of(one.holds("a"), one.holds("b"), one.holds("c"));
        AtomicInteger told = new AtomicInteger();
        held.forEach(lease -> lease.onLost(loss -> told.incrementAndGet()));
        one.leasehold.close();
        assertThat(world.leases()).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
        assertThat(held).noneMatch(Lease::isValid);
        world.pass(World.TTL.multipliedBy(2));
        assertThat(told).hasValue(0);
    }

    @Test
    void closeWithdrawsWhatIsBeingAcquired() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger");
        one.leasehold.close();
        assertThat(waiting).isCompletedExceptionally();
        assertThatThrownBy(() -> Node.obtained(waiting))
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("closed");
        assertThat(world.leases().get(0).waiters()).isZero();
        held.close();
        assertThat(world.leases()).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aBlockingAcquireEndsWhenTheLeaseholdIsClosed() {
        two.holds("ledger");
        OtherThread<Lease> acquiring = OtherThread.calls(
                        () -> one.lock("ledger").acquire(Duration.ofMinutes(1)))
                .awaitBlocked();
        one.leasehold.close();
        assertThat(acquiring.failure()).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void anAcquireThatBeginsWhileTheLeaseholdClosesEndsToo() {
        one.wire.beforeSending = () -> {
            one.wire.beforeSending = () -> {};
            one.leasehold.close();
        };
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        assertThatThrownBy(() -> Node.obtained(acquiring))
                .hasCauseInstanceOf(StoreUnavailableException.class);
        world.pass(World.PATIENCE); // its withdrawal is tried a few times
        assertThat(world.leases()).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void anElectionThatBeginsWhileTheLeaseholdClosesEndsToo() {
        one.wire.beforeSending = () -> {
            one.wire.beforeSending = () -> {};
            one.leasehold.close();
        };
        assertThatThrownBy(() -> one.leasehold.election("office", term -> {}))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("this Leasehold is closed");
        world.pass(World.PATIENCE); // its withdrawal is tried a few times
        assertThat(world.leases()).isEmpty();
        assertThat(world.time.pendingTimers()).as("it campaigns no more").isZero();
    }

    @Test
    void aCandidateThatIsClosedWhileItCampaignsAnewLeavesTheQueue() {
        List<Election> candidates = new ArrayList<>();
        List<Term> terms = new ArrayList<>();
        Lease before = two.holds("office");
        candidates.add(one.leasehold.election("office", terms::add));
        CompletableFuture<Lease> next = two.waits("office");
        int sent = one.wire.acquires.size();
        one.wire.beforeSending = () -> {
            if (one.wire.acquires.size() > sent) { // its term is over
                one.wire.beforeSending = () -> {};
                candidates.get(0).close();
            }
        };
        before.close();

        assertThat(terms).hasSize(1);
        assertThat(Node.obtained(next).isValid()).isTrue();
        world.pass(World.PATIENCE);
        assertThat(world.leases().get(0).waiters()).isZero();
    }

    @Test
    void closeEndsEverythingThoughTheStoreThrowsWhenItIsClosed() {
        try (ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch()) {
            MemoryLeaseStore memory = MemoryLeaseStore.create();
            WireTap store = new WireTap(memory, Time.system());
            Leasehold leasehold = Leasehold.on(store);
            store.beforeClosing = () -> {
                throw new NoClassDefFoundError("com/example/Driver");
            };
            Lease held = leasehold.lock("ledger").acquire(Duration.ZERO);
            leasehold.election("office").observe(leader -> {});
            leasehold.election("office").observe(leader -> {});
            leasehold.election("other", term -> {});

            leasehold.close();

            assertThat(held.isValid()).isFalse();
            assertThat(memory.list(LeaseQuery.all())
                            .toCompletableFuture()
                            .join()
                            .leases())
                    .isEmpty();
            assertThat(store.closed).isTrue();
        }
    }

    @Test
    void nothingCanBeAcquiredAfterClose() {
        one.leasehold.close();
        one.leasehold.close();
        assertThatThrownBy(() -> one.lock("ledger").acquire(Duration.ZERO))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("this Leasehold is closed");
        assertThatThrownBy(() -> one.lock("ledger").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(one.wire.acquires).isEmpty();
        assertThat(one.wire.withdrawals).isEmpty();
    }

    @Test
    void closingALeaseOfAClosedLeaseholdDoesNothing() {
        Lease lease = one.holds("ledger");
        one.leasehold.close();
        lease.close();
        assertThat(one.wire.releases).hasSize(1);
        assertThatThrownBy(lease::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void closeOnASilentStoreReturnsAfterItsPatience() {
        one.holds("ledger");
        one.network.cutOff(true);
        OtherThread<Boolean> closing = OtherThread.runs(one.leasehold::close).awaitBlocked();
        world.pass(World.PATIENCE);
        assertThat(closing.result()).isTrue();
        world.pass(Duration.ofMinutes(1));
        assertThat(world.time.pendingTimers()).isZero();
    }

    /** Closes on another thread, and says in the end whether that thread was still interrupted. */
    private OtherThread<Boolean> closing(boolean interrupted) {
        return OtherThread.calls(() -> {
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    one.leasehold.close();
                    return Thread.interrupted();
                })
                .awaitBlocked();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoeverClosesWaitsForTheWithdrawalOfAQueuedCandidate(boolean interrupted) {
        Lease office = two.holds("office");
        Election unused = one.leasehold.election("office", term -> {});
        one.delay(WAY);
        OtherThread<Boolean> closing = closing(interrupted);

        world.pass(WAY.minusMillis(1));
        assertThat(world.leases().get(0).waiters()).as("it is on its way").isEqualTo(1);
        world.passMillis(1);
        assertThat(world.leases().get(0).waiters()).isZero();
        world.pass(WAY.minusMillis(1));
        assertThat(closing.isDone()).as("the store has not answered").isFalse();
        world.passMillis(1);

        assertThat(closing.result()).isEqualTo(interrupted);
        assertThat(one.wire.closed).isTrue();
        office.close();
        assertThat(world.leases()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoeverClosesWaitsForTheWithdrawalOfACandidateThatIsBeingElected(boolean interrupted) {
        one.delay(WAY);
        List<Term> terms = new ArrayList<>();
        Election unused = one.leasehold.election("office", terms::add);
        world.pass(WAY.plusMillis(1));
        assertThat(world.leases()).as("elected, and does not know yet").hasSize(1);
        OtherThread<Boolean> closing = closing(interrupted);

        world.pass(WAY);
        assertThat(world.leases()).isEmpty();
        assertThat(closing.isDone()).as("the store has not answered").isFalse();
        world.pass(WAY);

        assertThat(closing.result()).isEqualTo(interrupted);
        world.pass(World.PATIENCE); // the late grant is withdrawn once more
        assertThat(terms).isEmpty();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void theStoreIsClosedOrLeftOpenAsTheOptionsSay() {
        WireTap closed = new WireTap(MemoryLeaseStore.create(), Time.system());
        Leasehold.on(closed).close();
        assertThat(closed.closed).isTrue();

        WireTap open = new WireTap(MemoryLeaseStore.create(), Time.system());
        Leasehold.on(open, LeaseholdOptions.defaults().withStoreLeftOpen()).close();
        assertThat(open.closed).isFalse();
    }

    @Test
    void theDefaultEnvironmentLeavesNoThread() {
        try (ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch()) {
            Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());
            Lease held = leasehold.lock("ledger").acquire(Duration.ZERO);
            CompletableFuture<Lease> other = leasehold.lock("b").acquireAsync(Duration.ZERO);
            assertThat(other.join().isValid()).isTrue();
            assertThat(ownThreads()).isNotEmpty().allMatch(Thread::isDaemon);
            leasehold.close();
            assertThat(held.isValid()).isFalse();
        }
    }

    @Test
    void aRotationThatTheStoreNeverAnswersEndsWhenTheLeaseholdIsClosed() throws Exception {
        CountDownLatch asked = new CountDownLatch(2);
        WireTap store = new WireTap(MemoryLeaseStore.create(), Time.system());
        Leasehold leasehold = Leasehold.on(store);
        Lease lease = leasehold.lock("ledger").acquire(Duration.ZERO);
        store.beforeSending = () -> {
            asked.countDown();
            throw new StoreUnavailableException("not now");
        };
        OtherThread<Object> rotating = OtherThread.calls(lease::rotate);
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        rotating.awaitBlocked();
        leasehold.close();
        assertThat(rotating.failure()).isInstanceOf(LeaseLostException.class);
    }

    private static List<Thread> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("leasehold-"))
                .toList();
    }
}
