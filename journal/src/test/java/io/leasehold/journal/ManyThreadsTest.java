// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.testkit.ThreadLeakCheck;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Many threads, real time and a real disk. Closing the store ends its threads. */
@ExtendWith(ThreadLeakCheck.class)
final class ManyThreadsTest {

    private static final int TASKS = 4_000;
    private static final int LOCKS = 20;
    private static final int THREADS = 64;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Test
    void manyThreadsShareTwentyLocksAndEveryTokenIsUsedOnce() throws Exception {
        int[] counters = new int[LOCKS]; // each guarded by nothing but its lock
        List<List<Long>> tokens = new ArrayList<>();
        for (int i = 0; i < LOCKS; i++) {
            tokens.add(new ArrayList<>());
        }
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try (JournalLeaseStore store = JournalLeaseStore.open(temporary.resolve("journal"));
                Leasehold leasehold = Leasehold.on(store)) {
            List<Future<?>> tasks = new ArrayList<>();
            for (int task = 0; task < TASKS; task++) {
                int number = task % LOCKS;
                tasks.add(executor.submit(() -> leasehold
                        .lock(LockOptions.longWork(), Scope.name("lock-" + number))
                        .use(Duration.ofMinutes(1), lease -> {
                            counters[number]++;
                            tokens.get(number).add(lease.token().value());
                        })));
            }
            for (Future<?> task : tasks) {
                task.get(60, TimeUnit.SECONDS);
            }
            assertThat(store.list(LeaseQuery.all()).toCompletableFuture().join().leases())
                    .isEmpty();
        } finally {
            executor.shutdownNow();
        }
        assertThat(counters).containsOnly(TASKS / LOCKS);
        Set<Long> all = new HashSet<>();
        for (List<Long> ofOne : tokens) {
            assertThat(ofOne).isSorted();
            all.addAll(ofOne);
        }
        assertThat(all).as("one token for each of the tasks, from 1 on").hasSize(TASKS);
        assertThat(all).allMatch(token -> token >= 1 && token <= TASKS);
    }

    @Test
    void theNextStoreOnTheSameDirectoryGoesOnWithTheTokens() {
        for (long start = 0; start < 5; start++) {
            try (JournalLeaseStore store = JournalLeaseStore.open(temporary.resolve("journal"));
                    Leasehold leasehold = Leasehold.on(store)) {
                long expected = start + 1;
                leasehold
                        .lock("orders")
                        .use(
                                Duration.ZERO,
                                lease -> assertThat(lease.token().value()).isEqualTo(expected));
            }
        }
    }
}
