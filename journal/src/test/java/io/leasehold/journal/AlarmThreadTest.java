// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * On the machine's time: what is due by an alarm is done by threads of the store's. The JDK's delay
 * thread, on which every time-out in the process depends, does none of it.
 */
@Timeout(value = 60, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AlarmThreadTest {

    private static final Duration SHORT = Duration.ofMillis(500); // until somebody is to be told
    private static final Duration LONG = Duration.ofMinutes(5);

    /** The writer tells what it has written; whichever of them finds nobody telling, tells. */
    private static final String WRITER_OR_ALARMS = "leasehold-journal-j(-alarms)?";

    @TempDir
    private Path parent;

    private JournalLeaseStore store;

    @BeforeEach
    void open() {
        store = JournalLeaseStore.open(parent.resolve("j"), Stores.SMALL);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CompletableFuture<Acquisition> acquire(long id, Duration ttl, Duration wait) {
        return store.acquire(World.request(id, "a", ttl).waitingAtMost(wait)).toCompletableFuture();
    }

    private void hold(Duration ttl) {
        assertThat(acquire(1, ttl, Duration.ZERO).join()).isInstanceOf(Acquisition.Granted.class);
    }

    private static CompletableFuture<String> threadOf(CompletableFuture<Acquisition> answer) {
        return answer.thenApply(came -> Thread.currentThread().getName());
    }

    @Test
    void whoIsServedWhenALeaseRunsOutIsToldByAThreadOfTheStore() {
        CompletableFuture<String> teller = new CompletableFuture<>();
        hold(SHORT);
        store.subscribe(event -> {
            if (event instanceof LeaseEvent.Changed changed
                    && changed.change() == LeaseEvent.Change.EXPIRED) {
                teller.complete(Thread.currentThread().getName());
            }
        });
        CompletableFuture<Acquisition> waiter = acquire(2, LONG, LONG);
        CompletableFuture<String> thread = threadOf(waiter);

        assertThat(thread.join()).matches(WRITER_OR_ALARMS);
        assertThat(waiter.join()).isInstanceOf(Acquisition.Granted.class);
        assertThat(teller.join()).isEqualTo("leasehold-journal-j-events");
    }

    @Test
    void whoHasWaitedInVainIsToldByAThreadOfTheStore() {
        hold(LONG);
        CompletableFuture<Acquisition> waiter = acquire(2, LONG, SHORT);

        assertThat(threadOf(waiter).join()).matches(WRITER_OR_ALARMS);
        assertThat(waiter.join()).isInstanceOf(Acquisition.Held.class);
    }
}
