// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Mode;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LockOptionsTest {

    @Test
    void thePresetsLastTenSixtyAndThreeHundredSeconds() {
        assertThat(LockOptions.shortWork().ttl()).isEqualTo(Duration.ofSeconds(10));
        assertThat(LockOptions.longWork().ttl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(LockOptions.batchWork().ttl()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void byDefaultALeaseIsExclusiveAndLastsThirtySeconds() {
        LockOptions defaults = LockOptions.defaults();
        assertThat(defaults.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.mode()).isEqualTo(Mode.EXCLUSIVE);
        assertThat(defaults.holdAtMost()).isEmpty();
        assertThat(defaults.lockDelay()).isZero();
        assertThat(defaults.interruptOnLoss()).isFalse();
    }

    @Test
    void eachVariationChangesOneThing() {
        Duration second = Duration.ofSeconds(1);
        assertThat(LockOptions.defaults()
                        .withTtl(second)
                        .withMode(Mode.SHARED)
                        .withHoldAtMost(second)
                        .withLockDelay(second)
                        .withInterruptOnLoss())
                .isEqualTo(new LockOptions(second, Mode.SHARED, Optional.of(second), second, true));
    }

    @Test
    void lengthsOutsideTheLimitsAreRefused() {
        LockOptions defaults = LockOptions.defaults();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withTtl(Duration.ofMillis(99)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withHoldAtMost(Duration.ofMillis(99)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withLockDelay(Duration.ofMillis(-1)));
        assertThatThrownBy(() -> defaults.withTtl(Duration.ofHours(24).plusNanos(1)))
                .isInstanceOf(LimitExceededException.class);
        assertThatThrownBy(() -> defaults.withHoldAtMost(LockOptions.MAX_HOLD.plusNanos(1)))
                .isInstanceOf(LimitExceededException.class);
        assertThatThrownBy(() -> defaults.withLockDelay(Duration.ofSeconds(61)))
                .isInstanceOf(LimitExceededException.class);
    }

    @Test
    void settingsOfALeaseholdOutsideTheirLimitsAreRefused() {
        LeaseholdOptions defaults = LeaseholdOptions.defaults();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withPatience(Duration.ofMillis(9)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withPatience(Duration.ofSeconds(61)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withCloseGrace(Duration.ofMillis(-1)))
                .withMessage("closeGrace PT-0.001S is outside zero to 1 h");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withCloseGrace(Duration.ofMinutes(61)));
        assertThat(defaults.closeGrace()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.withCloseGrace(Duration.ZERO).closeGrace()).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> new ClockBounds(0.11, Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClockBounds(Double.NaN, Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClockBounds(0, Duration.ofMillis(1001)));
    }
}
