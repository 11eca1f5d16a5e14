// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Time;
import io.leasehold.spi.Validity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DeadlineTest {

    private static final long SECOND = 1_000_000_000;
    private static final ClockBounds BOUNDS = ClockBounds.defaults();
    private static final ClockBounds EXACT = new ClockBounds(0, Duration.ZERO);

    @Test
    void takesTwiceTheDriftAndTheMarginOffTheTtl() {
        assertThat(of(0, 0, 100 * SECOND).nanos()).isEqualTo(98 * SECOND - 5_000_000);
    }

    @Test
    void countsTheTimeInTheStoreAndWhatRemainsAlike() {
        assertThat(of(7, 40 * SECOND, 60 * SECOND)).isEqualTo(of(7, 0, 100 * SECOND));
        assertThat(of(7, 100 * SECOND, 0)).isEqualTo(of(7, 0, 100 * SECOND));
    }

    @Test
    void startsWhenTheRequestWasSent() {
        assertThat(of(3 * SECOND, 0, SECOND).nanos() - of(0, 0, SECOND).nanos())
                .isEqualTo(3 * SECOND);
    }

    @Test
    void usesTheBoundsItIsGiven() {
        Validity validity = new Validity(Duration.ZERO, Duration.ofSeconds(10));
        Deadline.Sent sent = new Deadline.Sent(0, 0);
        assertThat(Deadline.of(sent, validity, EXACT).nanos()).isEqualTo(10 * SECOND);
        ClockBounds wide = new ClockBounds(0.1, Duration.ofSeconds(1));
        assertThat(Deadline.of(sent, validity, wide).nanos()).isEqualTo(7 * SECOND);
    }

    @Test
    void aMarginAboveTheLengthHasPassedAtOnce() {
        Deadline deadline = of(0, 0, 1_000_000);
        assertThat(deadline.hasPassed(new Fixed(0, 0))).isTrue();
    }

    @Test
    void hasPassedFromExactlyTheDeadlineOn() {
        Deadline deadline = new Deadline(100, Long.MAX_VALUE);
        assertThat(deadline.hasPassed(new Fixed(99, 0))).isFalse();
        assertThat(deadline.hasPassed(new Fixed(100, 0))).isTrue();
        assertThat(deadline.hasPassed(new Fixed(101, 0))).isTrue();
    }

    @Test
    void theWallClockMayMoveByTheLengthAndASecondMore() {
        Deadline deadline = Deadline.of(
                new Deadline.Sent(0, 5000),
                new Validity(Duration.ofSeconds(1), Duration.ofSeconds(2)),
                BOUNDS);
        assertThat(deadline.hasPassed(new Fixed(0, 9000))).isFalse();
        assertThat(deadline.hasPassed(new Fixed(0, 9001))).isTrue();
        assertThat(deadline.hasPassed(new Fixed(0, -9001))).isFalse();
    }

    @Test
    void survivesTheOverflowOfTheMonotonicClock() {
        long sent = Long.MAX_VALUE - SECOND;
        Deadline deadline = of(sent, 0, 100 * SECOND);
        assertThat(deadline.nanos()).isNegative();
        assertThat(deadline.hasPassed(new Fixed(sent, 0))).isFalse();
        assertThat(deadline.hasPassed(new Fixed(sent + 97 * SECOND, 0))).isFalse();
        assertThat(deadline.hasPassed(new Fixed(sent + 98 * SECOND, 0))).isTrue();
        assertThat(deadline.leftAt(sent)).isEqualTo(98 * SECOND - 5_000_000);
        assertThat(deadline.orLater(of(sent - SECOND, 0, 100 * SECOND))).isEqualTo(deadline);
        assertThat(of(sent - SECOND, 0, 100 * SECOND).orLater(deadline)).isEqualTo(deadline);
        assertThat(deadline.noLaterThan(sent + SECOND).nanos()).isEqualTo(sent + SECOND);
        assertThat(deadline.noLaterThan(sent + 99 * SECOND)).isEqualTo(deadline);
    }

    @Test
    void isNeverLaterThanTheStoresForAnyLength() {
        for (long millis = 100;
                millis <= Duration.ofHours(24).toMillis();
                millis = millis * 3 / 2) {
            long nanos = millis * 1_000_000;
            // The store 1 % fast, the client 1 % slow: what the client counts until the store's
            // expiry.
            double untilExpiry = nanos / 1.01 * 0.99;
            assertThat(of(0, 0, nanos).nanos()).isLessThanOrEqualTo((long) untilExpiry);
        }
    }

    private static Deadline of(long sent, long inStore, long remaining) {
        return Deadline.of(
                new Deadline.Sent(sent, 0),
                new Validity(Duration.ofNanos(inStore), Duration.ofNanos(remaining)),
                BOUNDS);
    }

    private record Fixed(long nanos, long wallMillis) implements Time {

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            throw new UnsupportedOperationException("this clock stands still");
        }
    }
}
