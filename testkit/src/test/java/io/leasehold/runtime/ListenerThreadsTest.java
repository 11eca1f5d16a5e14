// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.LockOptions;
import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.LeaseEnded;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** On whose thread a listener is called, and what one costs that sleeps or throws. */
final class ListenerThreadsTest {

    private static final Duration WAIT = Duration.ofMinutes(1);

    private final MemoryLeaseStore store = MemoryLeaseStore.create();

    private Leasehold on(LeaseholdListener listener) {
        return Leasehold.on(store, LeaseholdOptions.defaults().withListener(listener));
    }

    @Test
    void aBlockingCallIsToldByItsOwnThreadAndWhatNobodyWaitsForByTheListenersThread()
            throws Exception {
        BlockingQueue<Thread> acquired = new LinkedBlockingQueue<>();
        BlockingQueue<Thread> ended = new LinkedBlockingQueue<>();
        LeaseholdListener listener = new LeaseholdListener() {
            @Override
            public void onAcquireEnd(AcquireEnded acquire) {
                acquired.add(Thread.currentThread());
            }

            @Override
            public void onLeaseEnd(LeaseEnded lease) {
                ended.add(Thread.currentThread());
            }
        };
        try (Leasehold leasehold = on(listener)) {
            leasehold.lock("a").acquire(WAIT).close();
            assertThat(acquired.poll()).isSameAs(Thread.currentThread());
            assertThat(ended.poll()).isSameAs(Thread.currentThread());
            leasehold.lock("a").acquireAsync(WAIT).join();
        }
        assertThat(acquired.poll(1, TimeUnit.MINUTES).getName()).startsWith("leasehold-listener");
        assertThat(ended.poll(1, TimeUnit.MINUTES).getName()).startsWith("leasehold-listener");
    }

    @Test
    void aListenerThatThrowsChangesNothing() {
        AtomicInteger told = new AtomicInteger();
        LeaseholdListener listener = new LeaseholdListener() {
            @Override
            public void onAcquireEnd(AcquireEnded acquire) {
                told.incrementAndGet();
                throw new AssertionError("a listener that throws");
            }

            @Override
            public void onLeaseEnd(LeaseEnded lease) {
                throw new IllegalStateException("and again");
            }
        };
        try (Leasehold leasehold = on(listener)) {
            leasehold.lock("a").use(WAIT, lease -> assertThat(lease.isValid()).isTrue());
            leasehold.lock("a").acquireAsync(WAIT).join().close();
        }
        assertThat(told).hasValue(2);
    }

    @Test
    void aListenerThatSleepsHoldsUpNobodyElseAndHearsWhatItMissed() throws Exception {
        CountDownLatch awake = new CountDownLatch(1);
        CompletableFuture<Long> missed = new CompletableFuture<>();
        LeaseholdListener listener = new LeaseholdListener() {
            @Override
            public void onLeaseEnd(LeaseEnded lease) {
                if (Thread.currentThread().getName().startsWith("leasehold-listener")) {
                    await(awake);
                }
            }

            @Override
            public void onMissed(long events) {
                missed.complete(events);
            }
        };
        try (Leasehold leasehold = on(listener)) {
            LockOptions brief = LockOptions.defaults().withTtl(Duration.ofMillis(300));
            Lease kept = leasehold.lock(brief, Scope.name("kept")).acquire(WAIT);
            Lease taken = leasehold.lock(brief, Scope.name("taken")).acquire(WAIT);
            CompletableFuture<Boolean> lost = new CompletableFuture<>();
            taken.onLost(loss -> lost.complete(true));
            store.forceRelease(taken.scope(), taken.token());
            assertThat(lost.get(1, TimeUnit.MINUTES)).isTrue(); // and the listener sleeps now
            List<CompletableFuture<Lease>> others = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                others.add(leasehold.lock("lock-" + i).acquireAsync(WAIT));
            }
            for (CompletableFuture<Lease> other : others) {
                other.get(1, TimeUnit.MINUTES).close();
            }
            Lease renewed = leasehold.lock("taken").acquire(WAIT);
            assertThat(renewed.isValid()).isTrue();
            assertThat(kept.validate()).isTrue();
            awake.countDown();
        }
        // what waits is told after close() has returned
        assertThat(missed.get(1, TimeUnit.MINUTES)).isGreaterThan(5_000);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
