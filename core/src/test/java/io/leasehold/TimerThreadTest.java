// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TimerThreadTest {

    private static final Duration LATER = Duration.ofHours(1);

    private final TimerThread timers = new TimerThread("timer-of-a-test");

    @AfterEach
    void close() {
        timers.close();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aTimerThatIsDueBeforeTheOthersWakesTheThread() throws InterruptedException {
        Time.Timer later = timers.schedule(LATER, () -> {});
        CountDownLatch ran = new CountDownLatch(1);
        timers.schedule(Duration.ofMillis(1), ran::countDown);
        await(ran);
        later.cancel();
    }

    @Test
    void noTimerRunsEarly() throws InterruptedException {
        Duration delay = Duration.ofMillis(20);
        long set = Time.system().nanos();
        long[] ranAt = {0};
        CountDownLatch ran = new CountDownLatch(1);
        timers.schedule(delay, () -> {
            ranAt[0] = Time.system().nanos();
            ran.countDown();
        });
        await(ran);
        assertThat(ranAt[0] - set).isGreaterThanOrEqualTo(delay.toNanos());
    }

    @Test
    void aTimerThatIsCancelledDoesNotRun() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        timers.schedule(Duration.ZERO, () -> {
            try {
                held.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        List<String> ran = new CopyOnWriteArrayList<>();
        timers.schedule(Duration.ZERO, () -> ran.add("cancelled")).cancel();
        CountDownLatch after = new CountDownLatch(1);
        timers.schedule(Duration.ZERO, after::countDown);
        held.countDown();
        await(after);
        assertThat(ran).isEmpty();
    }

    @Test
    void aTaskThatThrowsAnErrorDoesNotStopTheOthers() throws InterruptedException {
        timers.schedule(Duration.ZERO, () -> {
            throw new NoClassDefFoundError("com/example/Gone");
        });
        CountDownLatch ran = new CountDownLatch(1);
        timers.schedule(Duration.ofMillis(1), ran::countDown);
        await(ran);
    }

    @Test
    void aTaskThatInterruptsItsThreadDoesNotStopTheOthers() throws InterruptedException {
        timers.schedule(Duration.ZERO, () -> Thread.currentThread().interrupt());
        CountDownLatch ran = new CountDownLatch(1);
        timers.schedule(Duration.ofMillis(1), ran::countDown);
        await(ran);
    }

    @Test
    void closeLetsTheTimersThatAreSetRun() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        timers.schedule(Duration.ofMillis(50), ran::countDown);
        timers.close();
        await(ran);
    }

    @Test
    void aTimerThatIsSetAfterCloseRunsToo() throws InterruptedException {
        timers.close();
        CountDownLatch ran = new CountDownLatch(1);
        timers.schedule(Duration.ofMillis(1), ran::countDown);
        await(ran);
    }
}
