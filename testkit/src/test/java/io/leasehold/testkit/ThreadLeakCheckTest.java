// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ThreadLeakCheck.class)
final class ThreadLeakCheckTest {

    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void letThreadsEnd() {
        end.countDown();
    }

    @Test
    void aThreadOfOursThatIsLeftFailsTheTestEvenIfItIsADaemon() {
        ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch(Duration.ofMillis(20));
        start("leasehold-renewer", true);
        assertThatThrownBy(watch::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("leasehold-renewer")
                .hasMessageContaining("at ");
    }

    @Test
    void anyThreadThatKeepsTheProcessAliveFailsTheTest() {
        ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch(Duration.ofMillis(20));
        start("someone-elses", false);
        assertThatThrownBy(watch::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("someone-elses");
    }

    @Test
    void daemonsOfOthersDoNotMatter() {
        ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch(Duration.ofMillis(20));
        start("someone-elses", true);
        assertThatCode(watch::close).doesNotThrowAnyException();
    }

    @Test
    void threadsThatWereThereBeforeDoNotMatter() {
        start("leasehold-old", true);
        ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch(Duration.ofMillis(20));
        assertThatCode(watch::close).doesNotThrowAnyException();
    }

    @Test
    void threadsGetTimeToEnd() {
        try (ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch()) {
            start("leasehold-short", false);
            end.countDown();
        }
    }

    @Test
    void theJdksOwnThreadsDoNotMatter() {
        ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch(Duration.ofMillis(20));
        CompletableFuture<Void> fired = new CompletableFuture<>();
        Time.system().schedule(Duration.ofMillis(1), () -> fired.completeAsync(() -> null));
        fired.join();
        assertThatCode(watch::close).doesNotThrowAnyException();
    }

    @Test
    void theMemoryEngineLeavesNoThread() {
        try (ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch();
                MemoryLeaseStore store = MemoryLeaseStore.create()) {
            Client client = new Client(
                    "client",
                    StoreUnderTest.on(VirtualTime.create(), store),
                    Duration.ofMillis(100),
                    new SplittableRandom(1));
            client.holds("a");
            client.waits("a").grant();
        }
    }

    private void start(String name, boolean daemon) {
        Thread thread = new Thread(this::awaitEnd, name);
        thread.setDaemon(daemon);
        thread.start();
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
