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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
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
        List<String> heard = new CopyOnWriteArrayList<>();
        store.subscribe(event -> {
            store.close();
            heard.add("closed");
        });

        // needs no disk, so that the caller delivers the event and the writer has to close
        var renewed = store.renew(RenewalRequest.of(grant, LONG));

        assertThat(renewed.toCompletableFuture().join()).isInstanceOf(Renewal.Renewed.class);
        store.close();
        assertThat(heard).containsExactly("closed");
        JournalLeaseStore.open(directory, options).close();
    }

    private static <T> CompletableFuture<T> joined(CompletionStage<T> stage) {
        T unused = stage.toCompletableFuture().join();
        return stage.toCompletableFuture();
    }
}
