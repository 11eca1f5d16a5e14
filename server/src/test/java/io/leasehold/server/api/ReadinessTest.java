// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.Await;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whether a store would grant a lease. */
final class ReadinessTest {

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int SEGMENT = 1 << 20;

    private final VirtualTime time = VirtualTime.create();

    private Readiness of(LeaseStore store) {
        return of(() -> CompletableFuture.completedStage(store));
    }

    private Readiness of(Supplier<CompletionStage<LeaseStore>> store) {
        return new Readiness(new Readiness.Stores(store, Map::of), time, new Random(1));
    }

    private static Health health(Readiness readiness) {
        return readiness
                .health()
                .toCompletableFuture()
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
    }

    private static LeaseRequest request(long number) {
        return LeaseRequest.of(
                new LeaseId(7, number),
                Claim.exclusive(Scope.name("lock-" + number)),
                new Holder("test"),
                Duration.ofHours(1));
    }

    @Test
    void askingDrawsNoTokenAndIsSeenByNobody() {
        try (LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time)) {
            List<LeaseEvent> events = new CopyOnWriteArrayList<>();
            try (var unused = store.subscribe(events::add)) {
                Readiness readiness = of(store);
                for (int i = 0; i < 5; i++) {
                    assertThat(health(readiness)).isEqualTo(Health.SERVING);
                    time.advance(Duration.ofHours(1));
                }
                assertThat(events).isEmpty();
            }
            Acquisition first = store.acquire(request(1)).toCompletableFuture().join();
            assertThat(((Acquisition.Granted) first).grant().token().value()).isEqualTo(1);
        }
    }

    @Test
    void aStoreThatWasStoppedIsNotReady() {
        LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
        Readiness readiness = of(store);
        store.close();
        assertThat(health(readiness)).isEqualTo(Health.STORE_UNAVAILABLE);
    }

    @Test
    void aStoreWhoseOpeningThrowsAnErrorIsNotReadyAndIsAskedAgain() {
        try (LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time)) {
            boolean[] gone = {true};
            Readiness readiness = of(() -> {
                if (gone[0]) {
                    throw new NoClassDefFoundError("com/example/Gone");
                }
                return CompletableFuture.completedStage(store);
            });
            assertThat(health(readiness)).isEqualTo(Health.STORE_UNAVAILABLE);

            gone[0] = false;
            time.advance(PAUSE);

            assertThat(health(readiness)).isEqualTo(Health.SERVING);
        }
    }

    @Test
    void aJournalOnAFullDiskIsNotReadyThoughItCanBeRead() {
        SimulatedDisk disk = SimulatedDisk.create(1);
        Path directory = Path.of("/data/journal");
        disk.put(directory.resolveSibling("other"), new byte[0]);
        JournalOptions small = JournalOptions.defaults().withSegmentBytes(SEGMENT);
        try (LeaseStore store = JournalLeaseStore.open(directory, small, time, disk)) {
            Readiness readiness = of(store);
            assertThat(health(readiness)).isEqualTo(Health.SERVING);

            disk.limit(disk.used());
            fill(disk, store);
            assertThat(store.list(LeaseQuery.all())
                            .toCompletableFuture()
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .isInstanceOf(LeasePage.class);
            Await.until(() -> {
                time.advance(PAUSE);
                Await.aMoment(); // once a second the journal tries whether there is room again
                return health(readiness) == Health.STORE_UNAVAILABLE;
            });
        }
    }

    /**
     * Takes leases until the journal refuses them. A grant that needs the next segment before the
     * journal has seen that there is no room for it waits for room, and gets some here.
     */
    private void fill(SimulatedDisk disk, LeaseStore store) {
        LeaseRecord record = LeaseRecord.of(new byte[20_000]);
        for (long number = 1; ; number++) {
            CompletableFuture<Acquisition> granted =
                    store.acquire(request(number).withRecord(record)).toCompletableFuture();
            try {
                Acquisition unused = granted.get(2, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                disk.limit(disk.used() + SEGMENT);
                Await.until(() -> {
                    time.advance(PAUSE);
                    return granted.isDone();
                });
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(StoreUnavailableException.class);
                return;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotWaitedForAndNotAskedAgain() {
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<LeaseStore> opening = new CompletableFuture<>();
        Readiness readiness = of(() -> {
            asked.incrementAndGet();
            return opening;
        });
        CompletableFuture<Health> health = readiness.health().toCompletableFuture();
        time.advance(Duration.ofMillis(1_999));
        assertThat(health).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(health).isCompletedWithValue(Health.STORE_UNAVAILABLE);

        time.advance(Duration.ofMinutes(1));
        assertThat(health(readiness)).isEqualTo(Health.STORE_UNAVAILABLE);
        assertThat(asked).hasValue(1);

        opening.complete(MemoryLeaseStore.create(TableOptions.defaults(), time));
        assertThat(health(readiness)).isEqualTo(Health.SERVING);
    }

    @Test
    void aStoreOfAnotherNamespaceThatWouldNotGrantIsFoundBeforeLong() {
        Map<String, LeaseStore> others = new TreeMap<>();
        for (int i = 0; i < 10; i++) {
            others.put("other-" + i, MemoryLeaseStore.create(TableOptions.defaults(), time));
        }
        LeaseStore failing = MemoryLeaseStore.create(TableOptions.defaults(), time);
        others.put("other-7", failing);
        LeaseStore first = MemoryLeaseStore.create(TableOptions.defaults(), time);
        Readiness readiness = new Readiness(
                new Readiness.Stores(
                        () -> CompletableFuture.completedStage(first), () -> Map.copyOf(others)),
                time,
                new Random(1));
        assertThat(health(readiness)).isEqualTo(Health.SERVING);

        failing.close();
        for (int i = 0; i < 3; i++) { // a few in each question
            time.advance(PAUSE);
            Health unused = health(readiness);
        }
        for (int i = 0; i < 5; i++) { // and those that failed in each
            time.advance(PAUSE);
            assertThat(health(readiness)).isEqualTo(Health.STORE_UNAVAILABLE);
        }
        others.remove("other-7");
        time.advance(PAUSE);
        assertThat(health(readiness)).as("it was closed").isEqualTo(Health.SERVING);
    }

    @Test
    void manyWhoWantToKnowAskTheStoreOnceASecond() {
        AtomicInteger asked = new AtomicInteger();
        try (LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time)) {
            Readiness readiness = of(() -> {
                asked.incrementAndGet();
                return CompletableFuture.completedStage(store);
            });
            for (int i = 0; i < 100; i++) {
                assertThat(health(readiness)).isEqualTo(Health.SERVING);
            }
            assertThat(asked).hasValue(1);
            time.advance(PAUSE);
            assertThat(health(readiness)).isEqualTo(Health.SERVING);
            assertThat(asked).hasValue(2);
        }
    }
}
