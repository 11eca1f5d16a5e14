// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Timers that run on a thread of a store's. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreTimeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Queue<Runnable> timers = new ArrayDeque<>(); // those that were not cancelled
    private final List<Duration> delays = new ArrayList<>();
    private final Queue<Runnable> thread = new ArrayDeque<>();
    private final Time machine = new Time() {
        @Override
        public long nanos() {
            return 47;
        }

        @Override
        public long wallMillis() {
            return 11;
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            timers.add(task);
            delays.add(delay);
            return () -> timers.remove(task);
        }
    };

    private boolean noThread;
    private int runs;

    private final Time time = new StoreTime(machine, task -> {
        if (noThread) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        thread.add(task);
    });

    @Test
    void theThreadOfTheTimersOnlyHandsOver() {
        time.schedule(SECOND, () -> runs++);
        timers.remove().run();

        assertThat(delays).containsExactly(SECOND);
        assertThat(runs).isZero();
        thread.remove().run();
        assertThat(runs).isEqualTo(1);
    }

    @Test
    void aTimerThatIsCancelledDoesNotRun() {
        time.schedule(SECOND, () -> runs++).cancel();

        assertThat(timers).isEmpty();
    }

    @Test
    void aTimerThatIsCancelledWhenItHasBeenHandedOverDoesNotRun() {
        Time.Timer timer = time.schedule(SECOND, () -> runs++);
        timers.remove().run();
        timer.cancel();
        thread.remove().run();

        assertThat(runs).isZero();
    }

    @Test
    void whenNoThreadCanBeHadItIsHandedOverAMomentLater() {
        noThread = true;
        time.schedule(SECOND, () -> runs++);
        timers.remove().run();
        assertThat(thread).isEmpty();

        noThread = false;
        timers.remove().run();

        assertThat(delays).containsExactly(SECOND, Duration.ofMillis(100));
        thread.remove().run();
        assertThat(runs).isEqualTo(1);
    }

    /** An executor may take a task and then fail for want of a thread. */
    @Test
    void aTaskThatWasHandedOverTwiceRunsOnce() {
        Time twice = new StoreTime(machine, task -> {
            thread.add(task);
            if (noThread) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
        noThread = true;
        twice.schedule(SECOND, () -> runs++);
        timers.remove().run();
        noThread = false;
        timers.remove().run();

        assertThat(thread).hasSize(2);
        thread.forEach(Runnable::run);
        assertThat(runs).isEqualTo(1);
    }

    @Test
    void theClocksAreTheMachines() {
        assertThat(time.nanos()).isEqualTo(47);
        assertThat(time.wallMillis()).isEqualTo(11);
    }

    @Test
    void onTheMachinesTimeTheThreadHasTheName() {
        CompletableFuture<String> thread = new CompletableFuture<>();

        StoreThread.timers(Time.system(), "alarms of a test")
                .schedule(
                        Duration.ofMillis(1),
                        () -> thread.complete(Thread.currentThread().getName()));

        assertThat(thread.join()).isEqualTo("alarms of a test");
    }

    @Test
    void anotherThreadTakesThePlaceOfTheFirst() {
        CompletableFuture<String> thread = new CompletableFuture<>();

        StoreThread.timers(StoreThread.timers(Time.system(), "one of a test"), "other of a test")
                .schedule(
                        Duration.ofMillis(1),
                        () -> thread.complete(Thread.currentThread().getName()));

        assertThat(thread.join()).isEqualTo("other of a test");
    }

    @Test
    void anotherTimeStaysAsItIs() {
        assertThat(StoreThread.timers(machine, "nobody")).isSameAs(machine);
    }
}
