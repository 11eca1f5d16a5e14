// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often the thread of the timers is woken, and how long it sleeps. */
final class TimerQueueTest {

    private static final long DELAY = 1_000_000; // of each timer

    private long now;
    private TimerQueue timers = new TimerQueue(0);
    private int timesWoken;

    private static TimerQueue.Entry due(long at) {
        return new TimerQueue.Entry(at, () -> {});
    }

    private TimerQueue.Entry add(long dueAt) {
        TimerQueue.Entry timer = due(dueAt);
        if (timers.add(timer)) {
            timesWoken++;
        }
        return timer;
    }

    /** The thread looks, finds nothing, and sleeps; says until when. */
    private long sleepsUntil() {
        assertThat(timers.isDue(now)).isFalse();
        return now + timers.timeToSleep(now);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - DELAY / 2, Long.MIN_VALUE})
    void pairsThatCancelTheirTimerWakeTheThreadOnce(long origin) {
        now = origin;
        timers = new TimerQueue(now);
        sleepsUntil();

        for (int pair = 0; pair < 1000; pair++) {
            timers.remove(add(now + DELAY));
            sleepsUntil(); // had it been woken, it would find nothing each time
            now += 10;
        }

        assertThat(timesWoken).isEqualTo(1);
    }

    @Test
    void aThreadWithoutTimersSleepsUntilTheLastOneWouldHaveBeenDue() {
        timers.remove(add(DELAY));
        assertThat(sleepsUntil()).as("nobody had looked").isGreaterThan(DELAY);
        timers.remove(add(DELAY));

        assertThat(sleepsUntil()).isEqualTo(DELAY);
    }

    @Test
    void aTimerWakesTheThreadIfItIsDueEarlierThanTheThreadWouldLook() {
        sleepsUntil();
        add(DELAY);
        sleepsUntil();
        add(DELAY + 1);
        add(DELAY);
        assertThat(timesWoken).isEqualTo(1);

        add(DELAY - 1);

        assertThat(timesWoken).isEqualTo(2);
        assertThat(sleepsUntil()).isEqualTo(DELAY - 1);
    }

    @Test
    void aTimerThatIsSetWhileTheThreadIsAtWorkDoesNotWakeIt() {
        add(DELAY);
        sleepsUntil();
        now = DELAY;
        TimerQueue.Entry atWork = timers.takeFirst();

        add(now);
        add(now + 1);

        assertThat(atWork.dueAt()).isEqualTo(DELAY);
        assertThat(timesWoken).isZero();
        assertThat(timers.isDue(now)).isTrue();
    }

    @Test
    void afterWhatWasCancelledTheThreadSleepsUntilTheNextTimer() {
        sleepsUntil();
        TimerQueue.Entry first = add(DELAY);
        add(2 * DELAY);
        timers.remove(first);
        now = DELAY;

        assertThat(sleepsUntil()).isEqualTo(2 * DELAY);
        now = 2 * DELAY;
        assertThat(timers.isDue(now)).isTrue();
    }
}
