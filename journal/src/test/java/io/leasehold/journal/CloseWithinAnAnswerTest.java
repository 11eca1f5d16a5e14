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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CloseWithinAnAnswerTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 60, unit = SECONDS)
    void aWaiterMayCloseTheStoreWhenItIsServed(boolean callersWrite) {
        JournalOptions options = Stores.SMALL.withCallersWriting(callersWrite);
        JournalLeaseStore store = JournalLeaseStore.open(directory, options);
        Grant first = World.granted(joined(store.acquire(World.request(1, "a", LONG))));
        CompletableFuture<Void> closed = store.acquire(
                        World.request(2, "a", LONG).waitingAtMost(LONG))
                .thenAccept(granted -> store.close())
                .toCompletableFuture();
        var unused = store.release(first).toCompletableFuture().join();
        closed.join();
        store.close();
        try (JournalLeaseStore next = JournalLeaseStore.open(directory, options)) {
            assertThat(next.list(LeaseQuery.all()).toCompletableFuture().join().leases())
                    .singleElement()
                    .satisfies(
                            lease -> assertThat(lease.holding().token().value()).isEqualTo(2));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 60, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aListenerMayCloseTheStore(boolean callersWrite) {
        JournalOptions options = Stores.SMALL.withCallersWriting(callersWrite);
        JournalLeaseStore store = JournalLeaseStore.open(directory, options);
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
        JournalLeaseStore.open(directory, options).close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(value = 60, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWaiterMayCloseTheStoreWhenItsWaitIsOver(boolean callersWrite) {
        JournalOptions options = Stores.SMALL.withCallersWriting(callersWrite);
        JournalLeaseStore store = JournalLeaseStore.open(directory, options);
        assertThat(joined(store.acquire(World.request(1, "a", LONG)))).isCompleted();

        // answered by a timer, which is not the writer
        CompletableFuture<Void> closed = store.acquire(
                        World.request(2, "a", LONG).waitingAtMost(Duration.ofMillis(100)))
                .thenAccept(held -> store.close())
                .toCompletableFuture();

        closed.join();
        store.close();
        JournalLeaseStore.open(directory, options).close();
    }

    private static <T> CompletableFuture<T> joined(CompletionStage<T> stage) {
        T unused = stage.toCompletableFuture().join();
        return stage.toCompletableFuture();
    }
}
