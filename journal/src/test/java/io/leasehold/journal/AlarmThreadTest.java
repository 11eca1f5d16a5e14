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
    private CompletableFuture<Acquisition> waiter = new CompletableFuture<>();
    private long lastId;

    @BeforeEach
    void open() {
        store = JournalLeaseStore.open(parent.resolve("j"), Stores.SMALL);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CompletableFuture<Acquisition> acquire(String name, Duration ttl, Duration wait) {
        return store.acquire(World.request(++lastId, name, ttl).waitingAtMost(wait))
                .toCompletableFuture();
    }

    /**
     * The thread that tells whoever waits behind a lease of the given length. Asks anew, at another scope, if
     * the answer came before anybody could wait for it, as it may on a busy machine.
     */
    private Thread tellerOf(Duration held, Duration wait) {
        Thread teller = Thread.currentThread();
        for (int i = 0; i < 20 && teller == Thread.currentThread(); i++) {
            assertThat(acquire("a" + i, held, Duration.ZERO).join())
                    .isInstanceOf(Acquisition.Granted.class);
            waiter = acquire("a" + i, LONG, wait);
            teller = waiter.thenApply(came -> Thread.currentThread()).join();
        }
        return teller;
    }

    @Test
    void whoIsServedWhenALeaseRunsOutIsToldByAThreadOfTheStore() {
        CompletableFuture<String> teller = new CompletableFuture<>();
        store.subscribe(event -> {
            if (event instanceof LeaseEvent.Changed changed
                    && changed.change() == LeaseEvent.Change.EXPIRED) {
                teller.complete(Thread.currentThread().getName());
            }
        });

        assertThat(tellerOf(SHORT, LONG).getName()).matches(WRITER_OR_ALARMS);
        assertThat(waiter.join()).isInstanceOf(Acquisition.Granted.class);
        assertThat(teller.join()).isEqualTo("leasehold-journal-j-events");
    }

    @Test
    void whoHasWaitedInVainIsToldByAThreadOfTheStore() {
        assertThat(tellerOf(LONG, SHORT).getName()).matches(WRITER_OR_ALARMS);
        assertThat(waiter.join()).isInstanceOf(Acquisition.Held.class);
    }
}
