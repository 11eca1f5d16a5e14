// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * On the machine's time: what is due by an alarm is done by a thread of the store's. The JDK's delay
 * thread, on which every time-out in the process depends, does none of it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MemoryThreadsTest {

    private static final Duration SHORT = Duration.ofMillis(500); // until somebody is to be told
    private static final Duration LONG = Duration.ofMinutes(5);

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private long lastId;

    @AfterEach
    void close() {
        store.close();
    }

    private CompletableFuture<Acquisition> acquire(Duration ttl, Duration wait) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, ++lastId), Claim.exclusive(Scope.name("a")), new Holder("h"), ttl);
        return store.acquire(request.waitingAtMost(wait)).toCompletableFuture();
    }

    private void hold(Duration ttl) {
        assertThat(acquire(ttl, Duration.ZERO).join()).isInstanceOf(Acquisition.Granted.class);
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
        CompletableFuture<Acquisition> waiter = acquire(LONG, LONG);
        CompletableFuture<String> thread = threadOf(waiter);

        assertThat(thread.join()).isEqualTo("leasehold-memory-alarms");
        assertThat(waiter.join()).isInstanceOf(Acquisition.Granted.class);
        assertThat(teller.join()).isEqualTo("leasehold-memory-events");
    }

    @Test
    void whoHasWaitedInVainIsToldByAThreadOfTheStore() {
        hold(LONG);
        CompletableFuture<Acquisition> waiter = acquire(LONG, SHORT);

        assertThat(threadOf(waiter).join()).isEqualTo("leasehold-memory-alarms");
        assertThat(waiter.join()).isInstanceOf(Acquisition.Held.class);
    }

    @Test
    void theThreadOfTheAlarmsIsADaemon() {
        hold(LONG);

        assertThat(acquire(LONG, SHORT)
                        .thenApply(came -> Thread.currentThread().isDaemon())
                        .join())
                .isTrue();
    }

    @Test
    void aWaiterMayCloseTheStoreWhenItsWaitIsOver() {
        hold(LONG);

        acquire(LONG, SHORT).thenAccept(came -> store.close()).join();

        assertThat(acquire(LONG, Duration.ZERO)).isCompletedExceptionally();
    }

    @Test
    void aListenerMayCloseTheStore() {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        store.subscribe(event -> {
            store.close();
            closed.complete(true);
        });

        hold(LONG);

        assertThat(closed.join()).isTrue();
        assertThat(acquire(LONG, Duration.ZERO)).isCompletedExceptionally();
    }
}
