// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** What the thread of the timers does for a store, which is as little as possible. */
final class AlarmTest {

    private final Queue<Runnable> timers = new ArrayDeque<>(); // those that were not cancelled
    private final List<Duration> delays = new ArrayList<>();
    private final Queue<Runnable> driver = new ArrayDeque<>();
    private final Time time = new Time() {
        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            if (noTimer) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            timers.add(task);
            delays.add(delay);
            return () -> timers.remove(task);
        }
    };

    private boolean noTimer;
    private boolean noThread;
    private int wakeUps;

    private final Alarm alarm = new Alarm(
            time,
            task -> {
                if (noThread) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                driver.add(task);
            },
            () -> wakeUps++);

    private void goOff() {
        timers.remove().run();
    }

    @Test
    void oneForWhichNoTimerCouldBeHadIsSetTheNextTime() {
        noTimer = true;
        assertThatThrownBy(() -> alarm.set(10, 4)).isInstanceOf(OutOfMemoryError.class);
        noTimer = false;
        alarm.set(10, 5);
        assertThat(delays).containsExactly(Duration.ofNanos(5));
    }

    @Test
    void theThreadOfTheTimersOnlyWakesTheDriver() {
        alarm.set(10, 4);
        goOff();

        assertThat(delays).containsExactly(Duration.ofNanos(6));
        assertThat(wakeUps).isZero();
        driver.remove().run();
        assertThat(wakeUps).isEqualTo(1);
    }

    @Test
    void aDriverThatIsSlowToWakeUpIsWokenOnce() {
        for (int due = 1; due <= 100; due++) {
            alarm.set(due, 0);
            goOff();
            alarm.cancel(); // the last waiter has left, and another comes
        }
        assertThat(driver).hasSize(1);
        driver.remove().run();

        alarm.set(200, 0);
        goOff();

        assertThat(driver).hasSize(1);
    }

    @Test
    void whenNoThreadCanBeHadTheDriverIsWokenAMomentLater() {
        noThread = true;
        alarm.set(10, 0);
        goOff();
        assertThat(driver).isEmpty();

        noThread = false;
        goOff();

        assertThat(delays).hasSize(2).last().isEqualTo(Duration.ofMillis(100));
        driver.remove().run();
        assertThat(wakeUps).isEqualTo(1);
    }
}
