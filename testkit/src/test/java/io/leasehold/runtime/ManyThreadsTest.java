// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseQuery;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Real threads on real time: virtual ones where the JDK has them, else 200 platform threads. */
final class ManyThreadsTest {

    private static final int TASKS = 10_000;
    private static final int LOCKS = 100;
    private static final int PLATFORM_THREADS = 200;

    @Test
    void tenThousandTasksShareAHundredLocks()
            throws InterruptedException, ExecutionException, TimeoutException {
        int[] counters = new int[LOCKS]; // each guarded by nothing but its lock
        long[] lastTokens = new long[LOCKS];
        MemoryLeaseStore store = MemoryLeaseStore.create();
        ExecutorService executor = executor();
        try (Leasehold leasehold = Leasehold.on(store)) {
            List<Future<?>> tasks = new ArrayList<>();
            for (int task = 0; task < TASKS; task++) {
                int number = task % LOCKS;
                tasks.add(executor.submit(() -> leasehold
                        .lock(LockOptions.longWork(), Scope.name("lock-" + number))
                        .use(Duration.ofMinutes(1), lease -> {
                            counters[number]++;
                            assertThat(lease.token().value()).isGreaterThan(lastTokens[number]);
                            lastTokens[number] = lease.token().value();
                        })));
            }
            for (Future<?> task : tasks) {
                task.get(50, TimeUnit.SECONDS);
            }
            assertThat(store.list(LeaseQuery.all()).toCompletableFuture().join().leases())
                    .isEmpty();
        } finally {
            executor.shutdownNow();
        }
        assertThat(counters).containsOnly(TASKS / LOCKS);
    }

    private static ExecutorService executor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            return Executors.newFixedThreadPool(PLATFORM_THREADS); // before JDK 21
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError("the JDK has virtual threads but starts none", e);
        }
    }
}
