// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Environment;
import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.Mode;
import io.leasehold.spi.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The forms that run a body under the lock. */
final class BodyTest {

    private static final Duration WAIT = Duration.ofMinutes(1);
    private static final LockOptions INTERRUPTING = LockOptions.defaults().withInterruptOnLoss();

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void withReturnsTheBodysValueAndReleases() {
        long token = one.lock("ledger").with(Duration.ZERO, lease -> {
            assertThat(lease.isValid()).isTrue();
            assertThat(two.lock("ledger").tryAcquire()).isEmpty();
            return lease.token().value();
        });
        assertThat(token).isEqualTo(1);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void useRunsTheBodyOnceAndReleases() {
        List<Lease> seen = new ArrayList<>();
        one.lock("ledger").use(Duration.ZERO, seen::add);
        assertThat(seen).hasSize(1).noneMatch(Lease::isValid);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void tryUseSaysWhetherItRan() {
        AtomicBoolean ran = new AtomicBoolean();
        Lease held = one.holds("ledger");
        assertThat(two.lock("ledger").tryUse(lease -> ran.set(true))).isFalse();
        assertThat(ran).isFalse();
        held.close();
        assertThat(two.lock("ledger").tryUse(lease -> ran.set(true))).isTrue();
        assertThat(ran).isTrue();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aBusyLockKeepsTheBodyFromRunning() {
        one.holds("ledger");
        assertThatThrownBy(() -> two.lock("ledger").use(Duration.ZERO, lease -> {
                    throw new AssertionError("the body ran");
                }))
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void aBodyThatWaitsForItsOwnLockIsToldSoInsteadOfWaiting() {
        OtherThread<Boolean> body =
                OtherThread.runs(() -> one.lock("ledger").use(Duration.ZERO, lease -> {
                    one.lock("other").use(WAIT, inner -> assertHeldHere("ledger"));
                    assertHeldHere("ledger");
                }));
        assertThat(body.result()).isTrue();
        assertThat(one.wire.acquires).as("what the store was asked").hasSize(2);
        one.lock("ledger").use(WAIT, lease -> {});
    }

    @Test
    void anotherThreadWaitsForTheLockOfABody() {
        List<OtherThread<Boolean>> waiting = new ArrayList<>();
        one.lock("ledger").use(Duration.ZERO, lease -> {
            waiting.add(OtherThread.runs(() -> one.lock("ledger").use(WAIT, next -> {}))
                    .awaitBlocked());
            assertThat(world.leases().get(0).waiters()).isEqualTo(1);
        });
        assertThat(waiting.get(0).result()).isTrue();
    }

    @Test
    void aBodyWaitsForALockThatItsOwnLeaseDoesNotHoldAnyMore() {
        one.lock("ledger").use(Duration.ZERO, lease -> {
            lease.close();
            one.lock("ledger").acquire(WAIT).close();
        });
        assertThatThrownBy(() -> one.lock("ledger").use(Duration.ZERO, lease -> {
                    lose(one);
                    one.lock("ledger").acquire(WAIT).close();
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aBodyThatSharesItsLockMayShareItAgain() {
        LockOptions shared = LockOptions.defaults().withMode(Mode.SHARED);
        OtherThread<Boolean> body =
                OtherThread.runs(() -> one.lock("ledger", shared).use(Duration.ZERO, lease -> {
                    one.lock("ledger", shared).use(WAIT, again -> {});
                    assertHeldHere("ledger");
                }));
        assertThat(body.result()).isTrue();
    }

    private void assertHeldHere(String lock) {
        assertThatThrownBy(() -> one.lock(lock).acquire(WAIT))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("is held by this process (one)")
                .hasMessageContaining("not re-entrant");
    }

    @Test
    void anExceptionOfTheBodyPassesThroughAndReleases() {
        IOException own = new IOException("disk full");
        assertThatThrownBy(() -> one.lock("ledger").use(Duration.ZERO, lease -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void aBodyThatReturnsNormallyAfterALossEndsInLeaseLost() {
        assertThatThrownBy(() -> one.lock("ledger").with(Duration.ZERO, lease -> {
                    lose(one);
                    return "done";
                }))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        e -> assertThat(e.holding().token().value()).isEqualTo(1));
    }

    @Test
    void anExceptionOfTheBodyPassesThroughAfterALossToo() {
        IOException own = new IOException("disk full");
        assertThatThrownBy(() -> one.lock("ledger").use(Duration.ZERO, lease -> {
                    lose(one);
                    throw own;
                }))
                .isSameAs(own);
    }

    @Test
    void theBodyIsNotInterruptedUnlessAskedFor() {
        IllegalStateException reached = new IllegalStateException("reached");
        assertThatThrownBy(() -> one.lock("ledger").use(Duration.ZERO, lease -> {
                    lose(one);
                    assertThat(lease.isValid()).isFalse();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    throw reached;
                }))
                .isSameAs(reached);
    }

    @Test
    void theBodyIsInterruptedOnLossAndTheInterruptIsTranslated() {
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch inBody = new CountDownLatch(1);
        OtherThread<Boolean> worker = OtherThread.calls(
                () -> one.lock("ledger", INTERRUPTING).with(Duration.ZERO, lease -> {
                    inBody.countDown();
                    never.await();
                    return true;
                }));
        worker.awaitBlocked();
        assertThat(inBody.getCount()).isZero();
        lose(one);
        assertThat(worker.failure())
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(worker.wasInterruptedAtEnd()).isFalse();
    }

    @Test
    void anInterruptThatTheBodyDidNotNoticeIsNotLeaked() {
        assertThatThrownBy(() -> one.lock("ledger", INTERRUPTING).use(Duration.ZERO, lease -> {
                    lose(one);
                    assertThat(Thread.currentThread().isInterrupted()).isTrue();
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aLossAfterTheBodyDoesNotInterruptItsThread() {
        List<Lease> seen = new ArrayList<>();
        assertThat(one.lock("ledger", INTERRUPTING).tryUse(seen::add)).isTrue();
        lose(one);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptOfTheCallersOwnStaysSet() {
        one.lock("ledger", INTERRUPTING)
                .use(Duration.ZERO, lease -> Thread.currentThread().interrupt());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(world.leases()).isEmpty();
    }

    /** Cuts the client off for as long as it takes to lose everything. */
    private void lose(Node node) {
        node.network.cutOff(true);
        world.pass(World.TTL);
        node.heal();
    }

    @Test
    void anErrorOfABodyThatWasInterruptedByALossIsPassedOn() {
        AssertionError own = new AssertionError("the books don't balance");
        assertThatThrownBy(() -> one.lock("ledger", INTERRUPTING).use(Duration.ZERO, lease -> {
                    one.network.cutOff(true);
                    world.pass(World.TTL);
                    throw own;
                }))
                .isSameAs(own)
                .satisfies(error -> assertThat(error.getSuppressed())
                        .singleElement()
                        .isInstanceOf(LeaseLostException.class));
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aBodyWhoseLeaseIsOverBeforeItBeginsDoesNotBegin() {
        Time slow = new Time() { // the process is suspended just after the lease has come
                    @Override
                    public long nanos() {
                        return world.time.nanos();
                    }

                    @Override
                    public long wallMillis() {
                        return world.time.wallMillis();
                    }

                    @Override
                    public Timer schedule(Duration delay, Runnable task) {
                        if (!world.leases().isEmpty()) {
                            world.time.suspend(World.TTL.multipliedBy(2));
                        }
                        return world.time.schedule(delay, task);
                    }
                };
        LeaseholdOptions options = LeaseholdOptions.defaults()
                .withEnvironment(new Environment(slow, Runnable::run, new SplittableRandom(1)))
                .withStoreLeftOpen();
        List<Lease> begun = new ArrayList<>();
        try (Leasehold suspended = Leasehold.on(world.store, options)) {
            FencedLock lock = suspended.lock("ledger");
            assertThatThrownBy(() -> lock.use(Duration.ZERO, begun::add))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("the work did not begin");
            assertThatThrownBy(() -> lock.tryUse(begun::add))
                    .isInstanceOf(LeaseLostException.class);
        }
        assertThat(begun).isEmpty();
        assertThat(world.leases()).isEmpty();
    }
}
