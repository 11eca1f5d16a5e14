// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SkewedTimeTest {

    private final VirtualTime real = VirtualTime.startingAt(Long.MAX_VALUE - 1_000_000_000L);

    @Test
    void aFastClockRunsAheadOfTheRealOne() {
        SkewedTime fast = SkewedTime.of(real, Duration.ZERO, 1.01);
        long nanos = fast.nanos();
        long wall = fast.wallMillis();
        real.advance(Duration.ofSeconds(100));
        assertThat(fast.nanos() - nanos).isBetween(100_999_999_999L, 101_000_000_001L);
        assertThat(fast.wallMillis() - wall).isBetween(100_999L, 101_001L);
    }

    @Test
    void anOffsetIsConstant() {
        SkewedTime ahead = SkewedTime.of(real, Duration.ofHours(1), 1);
        assertThat(ahead.nanos() - real.nanos()).isEqualTo(Duration.ofHours(1).toNanos());
        real.advance(Duration.ofDays(100));
        assertThat(ahead.nanos() - real.nanos()).isEqualTo(Duration.ofHours(1).toNanos());
        assertThat(ahead.wallMillis() - real.wallMillis()).isEqualTo(3_600_000);
    }

    @Test
    void aTimerFiresWhenItsOwnClockHasAdvancedByTheDelay() {
        for (double rate : new double[] {0.5, 0.99, 0.999999, 1, 1.000001, 1.01, 3}) {
            SkewedTime skewed = SkewedTime.of(real, Duration.ofMinutes(-7), rate);
            real.advance(Duration.ofNanos(123_456_789));
            List<Long> fired = new ArrayList<>();
            long start = skewed.nanos();
            skewed.schedule(Duration.ofSeconds(10), () -> fired.add(skewed.nanos() - start));
            real.advance(Duration.ofSeconds(30));
            assertThat(fired)
                    .singleElement()
                    .satisfies(elapsed -> assertThat(elapsed)
                            .as("rate %s", rate)
                            .isBetween(10_000_000_000L, 10_000_000_003L));
        }
    }

    @Test
    void aTimerMayBeCancelled() {
        List<String> fired = new ArrayList<>();
        SkewedTime.of(real, Duration.ZERO, 1.01)
                .schedule(Duration.ofSeconds(1), () -> fired.add("a"))
                .cancel();
        real.advance(Duration.ofSeconds(2));
        assertThat(fired).isEmpty();
    }

    @Test
    void aRateMustBeAboveZero() {
        for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> SkewedTime.of(real, Duration.ZERO, rate))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
