// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class VirtualTimeTest {

    private final VirtualTime time = VirtualTime.create();
    private final List<String> ran = new ArrayList<>();

    @Test
    void timeStandsStillUntilItIsMoved() {
        long nanos = time.nanos();
        long wall = time.wallMillis();
        time.advance(Duration.ofMillis(1500));
        assertThat(time.nanos() - nanos).isEqualTo(1_500_000_000L);
        assertThat(time.wallMillis() - wall).isEqualTo(1500);
    }

    @Test
    void timersRunInTheOrderInWhichTheyAreDue() {
        schedule(3, "c");
        schedule(1, "a");
        schedule(2, "b");
        time.advance(Duration.ofSeconds(10));
        assertThat(ran).containsExactly("a", "b", "c");
    }

    @Test
    void timersOfTheSameMomentRunInTheOrderInWhichTheyWereSet() {
        schedule(1, "a");
        schedule(1, "b");
        time.advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("a", "b");
    }

    @Test
    void aTimerRunsAtItsDueTimeAndNotANanosecondBefore() {
        schedule(1, "a");
        time.advance(Duration.ofSeconds(1).minusNanos(1));
        assertThat(ran).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(ran).containsExactly("a");
    }

    @Test
    void aTimerSeesBothClocksAtItsOwnDueTime() {
        List<Long> seen = new ArrayList<>();
        long wall = time.wallMillis();
        time.schedule(Duration.ofSeconds(2), () -> {
            seen.add(time.nanos());
            seen.add(time.wallMillis() - wall);
        });
        time.advance(Duration.ofSeconds(5));
        assertThat(seen).containsExactly(2_000_000_000L, 2000L);
        assertThat(time.nanos()).isEqualTo(5_000_000_000L);
    }

    @Test
    void timersThatTimersSetRunTooIfTheyAreDueWithinTheSpan() {
        time.schedule(Duration.ofSeconds(1), () -> {
            schedule(1, "within");
            schedule(5, "behind");
        });
        time.advance(Duration.ofSeconds(3));
        assertThat(ran).containsExactly("within");
        assertThat(time.pendingTimers()).isEqualTo(1);
    }

    @Test
    void aTimerWithoutDelayWaitsForTheNextAdvance() {
        schedule(0, "a");
        assertThat(ran).isEmpty();
        time.advance(Duration.ZERO);
        assertThat(ran).containsExactly("a");
    }

    @Test
    void aCancelledTimerDoesNotRun() {
        Time.Timer timer = time.schedule(Duration.ofSeconds(1), () -> ran.add("a"));
        timer.cancel();
        timer.cancel();
        assertThat(time.pendingTimers()).isZero();
        time.advance(Duration.ofSeconds(2));
        assertThat(ran).isEmpty();
    }

    @Test
    void aTimerMayCancelAnotherOfTheSameMoment() {
        List<Time.Timer> others = new ArrayList<>();
        time.schedule(Duration.ofSeconds(1), () -> others.forEach(Time.Timer::cancel));
        others.add(time.schedule(Duration.ofSeconds(1), () -> ran.add("a")));
        time.advance(Duration.ofSeconds(1));
        assertThat(ran).isEmpty();
    }

    @Test
    void aClockThatOverflowsKeepsTheOrderOfTimers() {
        VirtualTime late = VirtualTime.startingAt(Long.MAX_VALUE - 1_500_000_000L);
        long start = late.nanos();
        late.schedule(Duration.ofSeconds(2), () -> ran.add("behind"));
        late.schedule(Duration.ofSeconds(1), () -> ran.add("before"));
        late.advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("before");
        late.advance(Duration.ofSeconds(1));
        assertThat(ran).containsExactly("before", "behind");
        assertThat(late.nanos()).isNegative();
        assertThat(late.nanos() - start).isEqualTo(2_000_000_000L);
    }

    @Test
    void aStepMovesTheWallClockAlone() {
        long wall = time.wallMillis();
        schedule(1, "a");
        time.stepWall(Duration.ofHours(-1));
        assertThat(time.wallMillis() - wall).isEqualTo(-3_600_000);
        assertThat(time.nanos()).isZero();
        assertThat(ran).isEmpty();
    }

    @Test
    void aSuspendedMachineWakesWithALateWallClockAndNoOtherTimePassed() {
        long wall = time.wallMillis();
        schedule(1, "a");
        time.suspend(Duration.ofMinutes(1));
        assertThat(time.wallMillis() - wall).isEqualTo(60_000);
        assertThat(time.nanos()).isZero();
        assertThat(ran).isEmpty();
    }

    @Test
    void timeNeverRunsBackwards() {
        assertThatThrownBy(() -> time.advance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> time.suspend(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTimerMayAdvanceTimeItself() {
        time.schedule(Duration.ofSeconds(1), () -> time.advance(Duration.ofSeconds(5)));
        schedule(3, "a");
        time.advance(Duration.ofSeconds(2));
        assertThat(ran).containsExactly("a");
        assertThat(time.nanos()).isEqualTo(6_000_000_000L);
    }

    @Test
    void timersThatSetEachOtherForEverAreToldInsteadOfHanging() {
        setAgainAtOnce();
        assertThatThrownBy(() -> time.advance(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("for ever");
    }

    private void setAgainAtOnce() {
        Time.Timer unused = time.schedule(Duration.ZERO, this::setAgainAtOnce);
    }

    @Test
    void tasksRunWithoutALockHeld() throws InterruptedException {
        CountDownLatch read = new CountDownLatch(1);
        time.schedule(Duration.ofSeconds(1), () -> {
            Thread reader = new Thread(() -> {
                time.nanos();
                read.countDown();
            });
            reader.start();
            joinUninterrupted(reader);
        });
        time.advance(Duration.ofSeconds(1));
        assertThat(read.getCount()).isZero();
    }

    @Test
    void everyTimerRunsOnceWhileSeveralThreadsAdvance() throws InterruptedException {
        AtomicInteger count = new AtomicInteger();
        for (int i = 0; i < 1000; i++) {
            time.schedule(Duration.ofMillis(i), count::incrementAndGet);
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(() -> time.advance(Duration.ofSeconds(1))));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count).hasValue(1000);
    }

    private void schedule(long seconds, String name) {
        Time.Timer unused = time.schedule(Duration.ofSeconds(seconds), () -> ran.add(name));
    }

    private static void joinUninterrupted(Thread thread) {
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
