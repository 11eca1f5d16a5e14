// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real threads on one store: exclusion, token order, and an answer for everybody. */
final class MemoryLeaseStoreConcurrencyTest {

    private static final int REQUESTS = Boolean.getBoolean("leasehold.long") ? 40_000 : 10_000;
    private static final int MOST_WAITING = 24;
    private static final Duration LONG = Duration.ofMinutes(10);

    private final MemoryLeaseStore store = MemoryLeaseStore.create();
    private final Exclusion exclusion = new Exclusion(2 * REQUESTS);
    private final Queue<Grant> held = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicLong lastId = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8})
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void threadsExcludeEachOtherOnNamesRangesAndSeveralScopesAtOnce(int threads) {
        List<CompletableFuture<Void>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long seed = 100L * threads + i;
            workers.add(CompletableFuture.runAsync(
                    () -> work(new Random(seed), REQUESTS / threads),
                    task -> new Thread(task, "worker, seed " + seed).start()));
        }
        workers.forEach(CompletableFuture::join);
        while (answered.get() < REQUESTS && failure.get() == null) {
            releaseOne();
        }
        held.forEach(this::release);

        assertThat(failure.get()).as("seeds from %d", 100 * threads).isNull();
        assertThat(answered).hasValue(REQUESTS);
        assertThat(exclusion.entries()).isGreaterThan(REQUESTS / 2);
        assertThat(page().leases()).isEmpty();
        LeaseRequest everything = request(Claim.exclusive(allScopes()), Duration.ZERO);
        assertThat(store.acquire(everything).toCompletableFuture().join())
                .isInstanceOf(Acquisition.Granted.class);
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aListenerThatDoesNotReturnHoldsUpNobody() {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        CompletableFuture<Void> told = new CompletableFuture<>();
        store.subscribe(event -> {
            told.complete(null);
            gate.join();
        });
        Claim claim = Claim.exclusive(Scope.name("a"));
        Acquisition first = store.acquire(request(claim, Duration.ZERO))
                .toCompletableFuture()
                .join();
        told.join();
        CompletableFuture<Acquisition> waiter =
                store.acquire(request(claim, LONG)).toCompletableFuture();

        assertThat(store.release(((Acquisition.Granted) first).grant())).isCompleted();

        assertThat(waiter).isCompletedWithValueMatching(Acquisition.Granted.class::isInstance);
        gate.complete(null);
    }

    private void work(Random random, int requests) {
        for (int i = 0; i < requests && failure.get() == null; i++) {
            boolean patient = random.nextInt(3) > 0;
            boolean brief = random.nextBoolean();
            LeaseRequest request = request(claim(random), patient ? LONG : Duration.ZERO);
            waiting.incrementAndGet();
            store.acquire(request).whenComplete((answer, error) -> answer(answer, error, brief));
            while ((waiting.get() > MOST_WAITING && failure.get() == null)
                    || random.nextInt(3) == 0) {
                releaseOne();
            }
        }
    }

    private void answer(Acquisition answer, Throwable error, boolean brief) {
        try {
            if (error != null) {
                throw new AssertionError(error);
            }
            if (answer instanceof Acquisition.Granted granted) {
                exclusion.enter(granted.grant());
                if (brief) {
                    release(granted.grant());
                } else {
                    held.add(granted.grant());
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        } finally {
            waiting.decrementAndGet();
            answered.incrementAndGet();
        }
    }

    private void releaseOne() {
        Grant grant = held.poll();
        if (grant == null) {
            Thread.onSpinWait();
        } else {
            release(grant);
        }
    }

    private void release(Grant grant) {
        try {
            exclusion.leave(grant);
            Ending ending = store.release(grant).toCompletableFuture().join();
            assertThat(ending).isEqualTo(new Ending.Ended());
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private LeaseRequest request(Claim claim, Duration wait) {
        LeaseId id = new LeaseId(7, lastId.incrementAndGet());
        return LeaseRequest.of(id, claim, new Holder("h"), Duration.ofHours(1)).waitingAtMost(wait);
    }

    private LeasePage page() {
        return store.list(LeaseQuery.all()).toCompletableFuture().join();
    }

    private static Claim claim(Random random) {
        Set<Scope> scopes = new LinkedHashSet<>();
        for (int i = random.nextInt(16) == 0 ? 3 : 1; i > 0; i--) {
            scopes.add(scope(random));
        }
        return new Claim(
                List.copyOf(scopes), random.nextInt(3) == 0 ? Mode.SHARED : Mode.EXCLUSIVE);
    }

    private static Scope scope(Random random) {
        int start = random.nextInt(Exclusion.BYTES);
        int choice = random.nextInt(20);
        if (choice == 0) {
            return Scope.inode(1);
        }
        return choice < 12
                ? Scope.name("n" + random.nextInt(Exclusion.NAMES))
                : Scope.range(1, start, start + 1L + random.nextInt(Exclusion.BYTES - start));
    }

    private static Scope[] allScopes() {
        List<Scope> all = new ArrayList<>(List.of(Scope.inode(1)));
        for (int i = 0; i < Exclusion.NAMES; i++) {
            all.add(Scope.name("n" + i));
        }
        return all.toArray(Scope[]::new);
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void tenThousandWaitersWhoReleaseOnTheSpotAreServedInOrderAndOnAFlatStack() {
        Claim one = Claim.exclusive(Scope.name("n0"));
        Claim spanning = Claim.exclusive(Scope.name("n1"), Scope.name("n0"), Scope.name("n2"));
        Grant first = ((Acquisition.Granted)
                        store.acquire(request(one, LONG)).toCompletableFuture().join())
                .grant();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Boolean> all = new CompletableFuture<>();
        for (int i = 0; i < 10_000; i++) {
            int place = i;
            store.acquire(request(i % 100 == 0 ? spanning : one, LONG)).thenAccept(answer -> {
                served.add(place);
                release(((Acquisition.Granted) answer).grant(), place + 2);
                if (place == 9_999) {
                    all.complete(true);
                }
            });
        }
        assertThat(served).isEmpty();

        release(first, 1);

        assertThat(all.join()).isTrue();
        assertThat(failure.get()).isNull();
        assertThat(served).hasSize(10_000).isSorted();
        assertThat(page().leases()).isEmpty();
    }

    private void release(Grant grant, int expectedToken) {
        if (grant.token().value() != expectedToken) {
            failure.compareAndSet(
                    null, new AssertionError("token " + grant.token() + ", not " + expectedToken));
        }
        exclusion.enter(grant);
        release(grant);
    }
}
