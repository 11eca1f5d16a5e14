// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A {@code Leasehold} that is closed while bodies run under its locks. */
final class HandoverTest {

    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration WAY = Duration.ofSeconds(1); // of each message
    private static final LockOptions INTERRUPTING = LockOptions.defaults().withInterruptOnLoss();

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");
    private final List<Lease> leases = new CopyOnWriteArrayList<>();
    private final CountDownLatch mayReturn = new CountDownLatch(1);

    /** A body that runs until it may return. */
    private OtherThread<Boolean> body(String lock, LockOptions options) {
        OtherThread<Boolean> running =
                OtherThread.calls(() -> one.lock(lock, options).with(Duration.ZERO, lease -> {
                    leases.add(lease);
                    mayReturn.await();
                    return true;
                }));
        OtherThread.await(() -> !leases.isEmpty());
        return running.awaitBlocked();
    }

    private OtherThread<Boolean> close() {
        return OtherThread.runs(one.leasehold::close).awaitBlocked();
    }

    private boolean isFree(String lock) {
        return two.lock(lock).tryUse(lease -> {});
    }

    @Test
    void nobodyElseGetsTheLockUntilTheBodyHasReturned() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        OtherThread<Boolean> closing = close();
        assertThat(isFree("ledger")).isFalse();
        world.pass(GRACE.minusSeconds(1));
        assertThat(closing.isDone()).isFalse();
        assertThat(isFree("ledger")).isFalse();

        mayReturn.countDown();

        assertThat(body.result()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThat(isFree("ledger")).isTrue();
        assertThat(one.wire.closed).isTrue();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aBodyThatOutlivesTheGraceKeepsItsLockForAsLongAsItRuns() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        OtherThread<Boolean> closing = close();
        world.pass(GRACE);
        assertThat(closing.result()).isTrue();
        world.pass(World.TTL.multipliedBy(2));
        assertThat(isFree("ledger")).isFalse();
        assertThat(one.wire.closed).isFalse(); // it is still needed

        mayReturn.countDown();

        assertThat(body.result()).isTrue();
        assertThat(isFree("ledger")).isTrue();
        assertThat(one.wire.closed).isTrue();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void theStoreIsClosedAfterItHasAnsweredTheReleaseOfABodyThatOutlivedTheGrace() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        OtherThread<Boolean> closing = close();
        world.pass(GRACE);
        assertThat(closing.result()).isTrue();
        one.delay(WAY);

        mayReturn.countDown();
        body.awaitBlocked();
        world.pass(WAY);

        assertThat(isFree("ledger")).as("the release has arrived").isTrue();
        assertThat(one.wire.closed).as("the store has not answered").isFalse();
        world.pass(WAY);
        assertThat(body.result()).isTrue();
        assertThat(one.wire.closed).isTrue();
    }

    @Test
    void aBodyIsToldAsOfALossAndReturnsNormallyIfItsLeaseWasHeldToTheEnd() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        Lease lease = leases.get(0);
        List<LeaseLostException> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        OtherThread<Boolean> closing = close();

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("this Leasehold is being closed");
        assertThat(told).hasSize(1);
        assertThat(body.isDone()).isFalse(); // nobody asked for an interrupt
        mayReturn.countDown();

        assertThat(body.result()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThat(told).hasSize(1);
    }

    @Test
    void aBodyThatAskedForItIsInterruptedAndNobodyWaitsForTheGrace() {
        OtherThread<Boolean> body = body("ledger", INTERRUPTING);
        OtherThread<Boolean> closing = OtherThread.runs(one.leasehold::close);
        assertThat(body.failure())
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(body.wasInterruptedAtEnd()).isFalse();
        assertThat(closing.result()).isTrue(); // in no time
        assertThat(isFree("ledger")).isTrue();
    }

    @Test
    void aBodyThatReturnsAlthoughItWasInterruptedReturnsNormallyAndTheInterruptIsNotLeaked() {
        CountDownLatch inBody = new CountDownLatch(1);
        OtherThread<Boolean> body = OtherThread.calls(() ->
                one.lock("ledger", INTERRUPTING).with(Duration.ZERO, lease -> {
                            inBody.countDown();
                            while (!Thread.currentThread().isInterrupted()) {
                                Thread.onSpinWait();
                            }
                            return true;
                        })
                        && !Thread.currentThread().isInterrupted());
        OtherThread.await(() -> inBody.getCount() == 0);
        OtherThread<Boolean> closing = OtherThread.runs(one.leasehold::close);
        assertThat(body.result()).isTrue();
        assertThat(closing.result()).isTrue();
    }

    @Test
    void whatIsHeldByHandIsReleasedAtOnce() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        one.holds("other");
        OtherThread<Boolean> closing = close();
        assertThat(isFree("other")).isTrue();
        assertThat(isFree("ledger")).isFalse();
        mayReturn.countDown();
        assertThat(body.result()).isTrue();
        assertThat(closing.result()).isTrue();
    }

    @Test
    void nothingIsGrantedWhileBodiesAreWaitedFor() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        OtherThread<Boolean> closing = close();
        assertThatThrownBy(() -> one.lock("other").acquire(Duration.ZERO))
                .isInstanceOf(StoreUnavailableException.class);
        mayReturn.countDown();
        assertThat(body.result()).isTrue();
        assertThat(closing.result()).isTrue();
    }

    @Test
    void aBodyThatClosesTheLeaseholdKeepsItsLockUntilItReturns() {
        one.lock("ledger", INTERRUPTING).use(Duration.ZERO, lease -> {
            one.leasehold.close();
            one.leasehold.close();
            assertThat(lease.isValid()).isFalse();
            assertThat(isFree("ledger")).isFalse();
            assertThat(one.wire.closed).isFalse();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        assertThat(isFree("ledger")).isTrue();
        assertThat(one.wire.closed).isTrue();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aBodyThatClosesWhileSomebodyElseClosesDoesNotWaitForIt() {
        OtherThread<Boolean> body = OtherThread.calls(
                        () -> one.lock("ledger").with(Duration.ZERO, lease -> {
                            mayReturn.await();
                            one.leasehold.close();
                            return true;
                        }))
                .awaitBlocked();
        OtherThread<Boolean> closing = close();
        mayReturn.countDown();
        assertThat(body.result()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThat(isFree("ledger")).isTrue();
    }

    @Test
    void whoeverClosesASecondTimeWaitsToo() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        OtherThread<Boolean> first = close();
        OtherThread<Boolean> second = close();
        assertThat(second.isDone()).isFalse();
        mayReturn.countDown();
        assertThat(second.result()).isTrue();
        assertThat(isFree("ledger")).isTrue();
        assertThat(first.result()).isTrue();
        assertThat(body.result()).isTrue();
    }

    @Test
    void whoeverClosesWaitsForTheReleasesAlsoWhenInterrupted() {
        one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        OtherThread<Boolean> closing = OtherThread.calls(() -> {
                    Thread.currentThread().interrupt();
                    one.leasehold.close();
                    return Thread.interrupted();
                })
                .awaitBlocked();
        assertThat(closing.isDone()).isFalse();
        world.pass(Duration.ofSeconds(1));
        assertThat(isFree("ledger")).isTrue();
        assertThat(one.wire.closed).isFalse(); // the store's word is still on its way
        world.pass(Duration.ofSeconds(1));
        assertThat(closing.result()).isTrue();
        assertThat(one.wire.closed).isTrue();
    }

    @Test
    void whoeverClosesWaitsForReleasesThatBeganBefore() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        Node.closeWithoutWaiting(lease);
        OtherThread<Boolean> closing = close();
        assertThat(closing.isDone()).isFalse();
        world.pass(Duration.ofSeconds(2));
        assertThat(closing.result()).isTrue();
        assertThat(isFree("ledger")).isTrue();
    }

    @Test
    void whoeverClosesWaitsForAReleaseThatAnotherThreadIsSending() {
        Lease lease = one.holds("ledger");
        CountDownLatch sending = new CountDownLatch(1);
        one.wire.beforeSending = () -> {
            sending.countDown();
            boolean unused = uninterrupted(mayReturn);
        };
        OtherThread<Boolean> releasing = OtherThread.runs(lease::close);
        OtherThread.await(() -> sending.getCount() == 0);
        OtherThread<Boolean> closing = close();
        assertThat(closing.isDone()).isFalse();
        assertThat(one.wire.closed).isFalse();

        mayReturn.countDown();

        assertThat(releasing.result()).isTrue();
        assertThat(closing.result()).isTrue();
        assertThat(isFree("ledger")).isTrue();
    }

    private static boolean uninterrupted(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts here", e);
        }
    }

    @Test
    void aBodyThatLosesItsLeaseDuringTheGraceEndsInLeaseLost() {
        OtherThread<Boolean> body =
                body("ledger", LockOptions.defaults().withTtl(Duration.ofSeconds(2)));
        OtherThread<Boolean> closing = close();
        one.network.cutOff(true);
        world.pass(Duration.ofSeconds(2));
        assertThat(closing.result()).isTrue(); // there is nothing left to hand over
        mayReturn.countDown();
        assertThat(body.failure())
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("not renewed in time");
    }

    @Test
    void aBodyWhoseLeaseSomebodyElseClosedEndsInLeaseLost() {
        OtherThread<Boolean> body = body("ledger", LockOptions.defaults());
        leases.get(0).close();
        mayReturn.countDown();
        assertThat(body.failure())
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("it was closed while its body ran");
    }

    @Test
    void aBodyThatAskedForItIsInterruptedWhenSomebodyElseClosesItsLease() {
        OtherThread<Boolean> body = body("ledger", INTERRUPTING);
        leases.get(0).close();
        assertThat(body.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossIsNotHiddenByTheCloseThatFollowsIt() {
        assertThatThrownBy(() -> one.lock("ledger").use(Duration.ZERO, lease -> {
                    one.network.cutOff(true);
                    world.pass(World.TTL);
                    lease.close();
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aBodyMayCloseItsOwnLease() {
        one.lock("ledger", INTERRUPTING).use(Duration.ZERO, lease -> {
            lease.close();
            assertThat(isFree("ledger")).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        assertThat(world.leases()).isEmpty();
    }
}
