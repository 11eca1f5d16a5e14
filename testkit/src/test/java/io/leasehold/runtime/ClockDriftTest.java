// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.testkit.SkewedTime;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A holder that is cut off, with clocks that disagree: who stops first, it or the store? */
final class ClockDriftTest {

    @Test
    void clocksWithinTheBoundNeverOverlap() {
        for (double client : new double[] {0.99, 0.995, 1, 1.01}) {
            for (double store : new double[] {0.99, 1, 1.005, 1.01}) {
                assertThat(overlap(client, store, Duration.ZERO))
                        .as("client at %s, store at %s", client, store)
                        .isZero();
            }
        }
    }

    @Test
    void clocksWithinTheBoundNeverOverlapWithASlowNetworkEither() {
        assertThat(overlap(0.99, 1.01, Duration.ofMillis(1500))).isZero();
        assertThat(overlap(1.01, 0.99, Duration.ofMillis(1500))).isZero();
    }

    @Test
    void clocksBeyondTheBoundDoOverlapSoThisTestCanFail() {
        assertThat(overlap(0.9, 1.1, Duration.ZERO)).isGreaterThan(1000);
        assertThat(overlap(0.99, 1.05, Duration.ZERO)).isPositive();
    }

    @Test
    void aClockThatIsOffByAConstantIsNoProblem() {
        World world = World.create();
        Node ahead = Node.of(world, "ahead", SkewedTime.of(world.time, Duration.ofDays(7), 1));
        Lease lease = ahead.holds("ledger");
        world.pass(World.TTL.multipliedBy(5));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void driftWithinTheBoundDoesNotCostARenewingHolderItsLease() {
        VirtualTime time = VirtualTime.create();
        World world = World.on(time, SkewedTime.of(time, Duration.ZERO, 1.01));
        Lease lease =
                Node.of(world, "slow", SkewedTime.of(time, Duration.ZERO, 0.99)).holds("ledger");
        world.pass(World.TTL.multipliedBy(200));
        assertThat(lease.isValid()).isTrue();
    }

    /** For how many milliseconds of real time two clients believed to hold the lock. */
    private static int overlap(double clientRate, double storeRate, Duration oneWay) {
        VirtualTime time = VirtualTime.create();
        World world = World.on(time, SkewedTime.of(time, Duration.ZERO, storeRate));
        Node one = Node.of(world, "one", SkewedTime.of(time, Duration.ZERO, clientRate));
        Node two = world.client("two");
        one.delay(oneWay);
        CompletableFuture<Lease> acquiring = one.waits("ledger");
        world.pass(oneWay.multipliedBy(3));
        Lease first = Node.obtained(acquiring);
        CompletableFuture<Lease> waiting = two.waits("ledger");
        world.pass(World.TTL.multipliedBy(2)); // renewed, with all its roundings
        one.network.cutOff(true);
        int overlap = 0;
        for (int millis = 0; millis < 40_000; millis++) {
            world.passMillis(1);
            overlap += first.isValid() && waiting.isDone() ? 1 : 0;
        }
        assertThat(first.isValid()).isFalse();
        assertThat(waiting).isDone();
        return overlap;
    }
}
