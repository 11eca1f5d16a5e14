// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.Fault;
import io.leasehold.testkit.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RenewalTest {

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void aLeaseIsRenewedAtAThirdOfItsTtlGiveOrTakeATenth() {
        Lease lease = one.holds("ledger");
        world.pass(World.TTL.multipliedBy(100));
        List<Double> gaps = new ArrayList<>();
        long last = 0;
        for (WireTap.Batch batch : one.wire.renewals) {
            gaps.add((batch.nanos() - last) / 1e9);
            last = batch.nanos();
        }
        assertThat(gaps)
                .hasSizeBetween(272, 334)
                .allSatisfy(gap -> assertThat(gap).isBetween(9.0, 11.0));
        assertThat(gaps).anyMatch(gap -> gap < 9.2).anyMatch(gap -> gap > 10.8);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void renewalKeepsTheToken() {
        Lease lease = one.holds("ledger");
        world.pass(World.TTL.multipliedBy(10));
        assertThat(lease.token().value()).isEqualTo(1);
        assertThat(world.tokenInStore()).isEqualTo(lease.token());
    }

    @Test
    void aRenewingHolderNeverLosesItsLease() {
        Lease lease = one.holds("ledger");
        lease.onLost(loss -> {
            throw new AssertionError("lost", loss);
        });
        for (int i = 0; i < 1000; i++) {
            world.pass(World.TTL);
            assertThat(lease.isValid()).isTrue();
            assertThat(two.lock("ledger").tryAcquire()).isEmpty();
        }
        assertThat(world.time.pendingTimers()).isEqualTo(1);
    }

    @Test
    void leasesThatAreDueTogetherGoOutTogether() {
        Duration ttl =
                Duration.ofMillis(120); // so short that the jitter stays within what is batched
        for (int i = 0; i < 1000; i++) {
            one.lock("lock-" + i, ttl).acquire(Duration.ZERO);
        }
        world.pass(ttl.multipliedBy(10));
        assertThat(world.leases()).hasSize(1000);
        assertThat(one.wire.renewals.subList(0, 2))
                .allMatch(batch -> batch.requests().size() > 450);
        int sent = one.wire.renewals.stream()
                .mapToInt(batch -> batch.requests().size())
                .sum();
        assertThat(sent).isGreaterThan(25_000);
        assertThat(one.wire.renewals.size())
                .as("messages for %d renewals", sent)
                .isLessThan(150);
        assertThat(world.time.pendingTimers()).isEqualTo(1);
    }

    @Test
    void renewalSurvivesAFewFailuresOfEveryKind() {
        List<Faults> kinds = List.of(
                Faults.none().losingRequests(1),
                Faults.none().losingReplies(1),
                Faults.none().turningAway(1),
                Faults.none().breakingOff(1),
                Faults.none()
                        .duplicatingRequests(1)
                        .delaying(Duration.ZERO, Duration.ofSeconds(4)));
        Lease lease = one.holds("ledger");
        for (Faults kind : kinds) {
            one.network.change(kind);
            world.pass(Duration.ofSeconds(18)); // one or two renewals in a row go wrong
            one.heal();
            world.pass(Duration.ofSeconds(10));
            assertThat(lease.isValid()).as("after %s", kind).isTrue();
        }
        for (Fault fault : List.of(
                Fault.REQUEST_LOST,
                Fault.REPLY_LOST,
                Fault.UNAVAILABLE,
                Fault.OUTCOME_UNKNOWN,
                Fault.REQUEST_DUPLICATED)) {
            assertThat(one.network.fired(fault)).as("%s", fault).isPositive();
        }
        assertThat(lease.token().value()).isEqualTo(1);
        assertThat(lease.validate()).isTrue();
    }

    @Test
    void renewalSurvivesAStoreThatThrows() {
        Lease lease = one.holds("ledger");
        one.wire.beforeSending = () -> {
            throw new IllegalStateException("broken");
        };
        world.pass(Duration.ofSeconds(20));
        assertThat(one.wire.renewals).hasSizeGreaterThan(1);
        one.wire.beforeSending = () -> {};
        world.pass(World.TTL);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void renewalIsTriedUntilTheDeadline() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().turningAway(1));
        world.pass(World.TRUSTED.minusMillis(50));
        assertThat(lease.isValid()).isTrue();
        one.heal();
        world.passMillis(49);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(29));
        world.pass(World.TTL);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aSilentStoreIsAskedAtLeastThreeTimesBeforeTheDeadline() {
        one.holds("ledger");
        one.network.cutOff(true);
        world.pass(World.TTL);
        assertThat(one.wire.renewals).hasSizeBetween(3, 30);
    }

    @Test
    void renewExtendsTheLeaseAtOnce() {
        Lease lease = one.holds("ledger");
        world.pass(Duration.ofSeconds(5));
        assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(25));
        lease.renew();
        assertThat(lease.remaining()).isBetween(World.TRUSTED.minusMillis(1), World.TRUSTED);
        assertThat(world.remainingInStore()).isEqualTo(World.TTL);
        assertThat(lease.token().value()).isEqualTo(1);
    }

    @Test
    void renewThatTheStoreRefusesLosesTheLease() {
        Lease lease = one.holds("ledger");
        world.store.withdraw(one.wire.acquires.get(0));
        AtomicInteger told = new AtomicInteger();
        lease.onLost(loss -> told.incrementAndGet());
        assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
        assertThat(told).hasValue(1);
    }

    @Test
    void renewThatFailsLeavesTheLeaseAsItWas() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().turningAway(1));
        assertThatThrownBy(lease::renew).isInstanceOf(StoreUnavailableException.class);
        one.network.change(Faults.none().breakingOff(1));
        assertThatThrownBy(lease::renew).isInstanceOf(OutcomeUnknownException.class);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void renewThatIsAnsweredAfterTheLeaseWasLostEndsInLeaseLost() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(1));
        OtherThread<Boolean> renewing = OtherThread.runs(lease::renew).awaitBlocked();
        world.time.suspend(World.TTL.multipliedBy(2)); // the machine sleeps: the lease is over
        world.pass(Duration.ofSeconds(2));
        assertThat(renewing.failure()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aTimerThatRunsAlthoughItWasReplacedLeavesNoSecondOneBehind() {
        Lease first = one.holds("ledger");
        one.process.schedule(
                Duration.ofSeconds(1),
                () -> { // runs before the renewal that is due as well
                    first.close();
                    one.holds("other");
                });
        one.process.pause();
        world.pass(Duration.ofSeconds(12));
        one.process.resume();
        assertThat(world.time.pendingTimers()).isEqualTo(1);
    }

    /** What was left until the deadline at each renewal that was sent. */
    private List<Duration> leftAtEachRenewal(Lease lease) {
        long deadline = world.time.nanos() + lease.remaining().toNanos();
        world.pass(World.TTL);
        assertThat(lease.isValid()).isFalse();
        return one.wire.renewals.stream()
                .map(batch -> Duration.ofNanos(deadline - batch.nanos()))
                .toList();
    }

    @Test
    void aRenewalThatFailsIsFollowedByTheNextAfterAnEighthOfWhatIsLeft() {
        Lease lease = one.holds("ledger");
        one.network.change(Faults.none().turningAway(1));
        List<Duration> left = leftAtEachRenewal(lease);
        assertThat(left).hasSizeGreaterThan(30);
        assertThatEachPauseIs(8, left);
    }

    @Test
    void aRenewalWithoutAnAnswerIsFollowedByTheNextAfterHalfOfWhatIsLeft() {
        Lease lease = one.holds("ledger");
        one.network.cutOff(true);
        List<Duration> left = leftAtEachRenewal(lease);
        assertThat(left).hasSizeGreaterThan(10);
        assertThatEachPauseIs(2, left);
    }

    /** One part of what is left, 10 ms at least. The timer may run up to 10 ms before it is due. */
    private static void assertThatEachPauseIs(int part, List<Duration> left) {
        for (int i = 1; i < left.size(); i++) {
            long pause = left.get(i - 1).minus(left.get(i)).toNanos();
            long expected = Math.max(10_000_000, left.get(i - 1).toNanos() / part);
            assertThat(pause).as("pause " + i).isEqualTo(expected);
        }
        assertThat(left).allMatch(rest -> !rest.isNegative());
    }
}
