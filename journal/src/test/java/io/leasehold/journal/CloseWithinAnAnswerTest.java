// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class CloseWithinAnAnswerTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 60, unit = SECONDS)
    void aWaiterMayCloseTheStoreWhenItIsServed() {
        JournalLeaseStore store = JournalLeaseStore.open(directory, Stores.SMALL);
        Grant first = World.granted(joined(store.acquire(World.request(1, "a", LONG))));
        CompletableFuture<Void> closed = store.acquire(
                        World.request(2, "a", LONG).waitingAtMost(LONG))
                .thenAccept(granted -> store.close())
                .toCompletableFuture();
        var unused = store.release(first).toCompletableFuture().join();
        closed.join();
        store.close();
        try (JournalLeaseStore next = JournalLeaseStore.open(directory, Stores.SMALL)) {
            assertThat(next.list(LeaseQuery.all()).toCompletableFuture().join().leases())
                    .singleElement()
                    .satisfies(
                            lease -> assertThat(lease.holding().token().value()).isEqualTo(2));
        }
    }

    @Test
    @Timeout(value = 60, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aListenerMayCloseTheStore() {
        JournalLeaseStore store = JournalLeaseStore.open(directory, Stores.SMALL);
        Grant grant = World.granted(joined(store.acquire(World.request(1, "a", LONG))));
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        store.subscribe(event -> {
            store.close();
            closed.complete(true);
        });

        // needs no disk, so that it is not the writer that the event comes from
        var renewed = store.renew(RenewalRequest.of(grant, LONG));

        assertThat(renewed.toCompletableFuture().join()).isInstanceOf(Renewal.Renewed.class);
        assertThat(closed.join()).isTrue();
        store.close();
        JournalLeaseStore.open(directory, Stores.SMALL).close();
    }

    @Test
    @Timeout(value = 60, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWaiterMayCloseTheStoreWhenItsWaitIsOver() {
        JournalLeaseStore store = JournalLeaseStore.open(directory, Stores.SMALL);
        assertThat(joined(store.acquire(World.request(1, "a", LONG)))).isCompleted();

        // answered by the thread of the alarms, which is not the writer
        CompletableFuture<Void> closed = store.acquire(
                        World.request(2, "a", LONG).waitingAtMost(Duration.ofMillis(100)))
                .thenAccept(held -> store.close())
                .toCompletableFuture();

        closed.join();
        store.close();
        JournalLeaseStore.open(directory, Stores.SMALL).close();
    }

    private static <T> CompletableFuture<T> joined(CompletionStage<T> stage) {
        T unused = stage.toCompletableFuture().join();
        return stage.toCompletableFuture();
    }
}
