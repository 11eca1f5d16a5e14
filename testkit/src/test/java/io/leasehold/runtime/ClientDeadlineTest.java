// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.testkit.Faults;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The client's own deadline, as rule R12 counts it. */
final class ClientDeadlineTest {

    private static final Duration SLACK = Duration.ofNanos(10); // of floating point

    private final World world = World.create();
    private final Node one = world.client("one");
    private final Node two = world.client("two");

    @Test
    void itIsTheTtlLessDriftAndMargin() {
        Lease lease = one.holds("ledger");
        assertThat(lease.remaining()).isBetween(World.TRUSTED.minus(SLACK), World.TRUSTED);
        one.network.cutOff(true);
        world.pass(World.TRUSTED.minusMillis(1));
        assertThat(lease.isValid()).isTrue();
        world.passMillis(1);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void itIsCountedFromBeforeTheRequestWasSent() {
        one.delay(Duration.ofSeconds(1));
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        world.pass(Duration.ofSeconds(2));
        assertThat(acquiring).isDone();
        Duration expected = World.TRUSTED.minusSeconds(2);
        assertThat(Node.obtained(acquiring).remaining()).isBetween(expected.minus(SLACK), expected);
    }

    @Test
    void aRenewalIsCountedFromBeforeItWasSentToo() {
        Lease lease = one.holds("ledger");
        one.delay(Duration.ofSeconds(2));
        while (one.wire.renewals.isEmpty()) {
            world.passMillis(10);
        }
        world.pass(Duration.ofSeconds(4));
        long elapsed = world.time.nanos() - one.wire.renewals.get(0).nanos();
        assertThat(lease.remaining())
                .isBetween(
                        World.TRUSTED.minusNanos(elapsed).minus(SLACK),
                        World.TRUSTED.minusNanos(elapsed));
    }

    @Test
    void timeSpentQueueingCountsLessDriftSoThatAWaitedGrantIsValid() {
        Lease held = two.holds("ledger");
        CompletableFuture<Lease> waiting = one.waits("ledger");
        world.pass(World.TTL.multipliedBy(4).plusMillis(1200));
        held.close();
        Lease lease = Node.obtained(waiting);
        assertThat(lease.isValid()).isTrue();
        // 2 % of at most half the patience, the age of the latest repeat, on top of those of the
        // ttl
        assertThat(lease.remaining()).isBetween(World.TRUSTED.minusMillis(51), World.TRUSTED);
    }

    @Test
    void aRepeatedGrantDoesNotGetTheFullTtlAgain() {
        one.network.change(Faults.none().losingReplies(1));
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        one.heal();
        world.passMillis(2_500); // the repeat
        Lease lease = Node.obtained(acquiring);
        Duration expected = Duration.ofMillis(27_500 * 98 / 100 - 5);
        assertThat(lease.remaining()).isBetween(expected.minus(SLACK), expected);
        assertThat(lease.remaining()).isLessThan(world.remainingInStore());
    }

    @Test
    void aGrantThatIsOverOnArrivalIsReleasedAndNotReturned() {
        Duration ttl = Duration.ofSeconds(1);
        one.delay(Duration.ofMillis(600));
        CompletableFuture<Lease> trying = one.lock("ledger", ttl).acquireAsync(Duration.ZERO);
        world.pass(Duration.ofMillis(700));
        assertThat(world.leases()).hasSize(1);
        world.pass(Duration.ofMillis(500));
        assertThatThrownBy(() -> Node.obtained(trying))
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("too late");
        world.pass(Duration.ofMillis(600)); // until the withdrawal has arrived
        assertThat(world.leases()).isEmpty();
        Lease next = two.holds("ledger");
        assertThat(next.token().value()).isEqualTo(2);
    }

    @Test
    void aGrantThatIsOverOnArrivalIsGivenBackBeforeItWouldExpire() {
        Node patient = Node.of(world, "patient", world.time, Duration.ofMinutes(1), 1);
        patient.delay(
                Duration.ofMillis(14_900)); // granted until 44.9 s, to be trusted until 29.4 s
        CompletableFuture<Lease> acquiring = patient.waits("ledger");
        world.pass(Duration.ofSeconds(20));
        patient.heal();
        world.pass(Duration.ofSeconds(11)); // the answer comes at 29.8 s
        assertThat(Node.obtained(acquiring).isValid()).isTrue();
        assertThat(Node.obtained(acquiring).token().value()).isEqualTo(2);
    }

    @Test
    void aWallClockThatMovedByMoreThanTheLengthAndASecondEndsTheLease() {
        Lease lease = one.holds("ledger");
        AtomicInteger told = new AtomicInteger();
        lease.onLost(loss -> told.incrementAndGet());
        world.time.suspend(Duration.ofMillis(31_001));
        assertThat(lease.isValid()).isFalse();
        assertThat(told).hasValue(1);
    }

    @Test
    void aSuspensionIsNoticedByTheRenewerToo() {
        Lease lease = one.holds("ledger");
        AtomicInteger told = new AtomicInteger();
        lease.onLost(loss -> told.incrementAndGet());
        world.time.suspend(Duration.ofHours(1));
        world.pass(Duration.ofSeconds(11)); // the next renewal, which the store would grant
        assertThat(told).hasValue(1);
        assertThat(one.wire.renewals).isEmpty();
    }

    @Test
    void aWallClockThatMovedByLessIsNoReasonToStop() {
        Lease lease = one.holds("ledger");
        world.time.suspend(Duration.ofSeconds(31));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aWallClockThatIsSetBackChangesNothing() {
        Lease lease = one.holds("ledger");
        world.time.stepWall(Duration.ofDays(-365));
        assertThat(lease.remaining()).isBetween(World.TRUSTED.minus(SLACK), World.TRUSTED);
        world.pass(World.TTL.multipliedBy(3));
        assertThat(lease.isValid()).isTrue();
        one.network.cutOff(true);
        world.pass(World.TTL);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aMonotonicClockThatOverflowsChangesNothing() {
        for (long seconds = 0; seconds <= 60; seconds += 3) {
            World edge =
                    World.on(VirtualTime.startingAt(Long.MAX_VALUE - seconds * 1_000_000_000L));
            Node client = edge.client("one");
            Lease lease = client.holds("ledger");
            CompletableFuture<Lease> waiting = edge.client("two").waits("ledger");
            for (int i = 0; i < 100; i++) {
                edge.pass(Duration.ofSeconds(1));
                assertThat(lease.isValid())
                        .as("%d s before the overflow", seconds)
                        .isTrue();
            }
            client.network.cutOff(true);
            edge.pass(World.TTL);
            assertThat(lease.isValid()).isFalse();
            assertThat(Node.obtained(waiting).isValid()).isTrue();
        }
    }
}
