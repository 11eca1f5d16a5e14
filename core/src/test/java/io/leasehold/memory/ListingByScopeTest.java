// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A listing of what overlaps a scope takes the lock of that scope's stripe, and no other. */
final class ListingByScopeTest {

    private static final Scope NAME = Scope.name("a");
    private static final Scope SUBTREE = Scope.subtree("/x");

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final CountDownLatch resume = new CountDownLatch(1);
    private volatile @Nullable Thread toStop;
    private final MemoryLeaseStore store =
            MemoryLeaseStore.create(TableOptions.defaults(), new StoppingTime());

    /** Time stands still, and so does one thread that reads it under the lock of its stripe. */
    private final class StoppingTime implements Time {

        @Override
        public long nanos() {
            if (Thread.currentThread() == toStop) {
                stopped.countDown();
                await(resume);
            }
            return 0;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return () -> {};
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aListingByScopeDoesNotWaitForOperationsElsewhere() {
        assertThat(acquire(1, NAME).join()).isInstanceOf(Acquisition.Granted.class);
        assertThat(acquire(2, Scope.path("/x/y")).join()).isInstanceOf(Acquisition.Granted.class);
        CompletableFuture<Acquisition> elsewhere =
                CompletableFuture.supplyAsync(() -> acquire(3, Scope.name("b")).join(), task -> {
                    toStop = new Thread(task, "stopped");
                    toStop.start();
                });
        await(stopped);
        try {
            assertThat(tokens(NAME)).containsExactly(1L);
            assertThat(tokens(SUBTREE)).containsExactly(2L);
            assertThat(elsewhere).isNotDone();
        } finally {
            resume.countDown();
        }
        assertThat(elsewhere.join()).isInstanceOf(Acquisition.Granted.class);
    }

    private CompletableFuture<Acquisition> acquire(long id, Scope scope) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(1, id), Claim.exclusive(scope), new Holder("h"), Duration.ofSeconds(1));
        return store.acquire(request).toCompletableFuture();
    }

    private List<Long> tokens(Scope scope) {
        LeasePage page =
                store.list(LeaseQuery.overlapping(scope)).toCompletableFuture().join();
        return page.leases().stream()
                .map(lease -> lease.holding().token().value())
                .toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
