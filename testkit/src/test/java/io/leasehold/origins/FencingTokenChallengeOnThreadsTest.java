// SPDX-License-Identifier: Apache-2.0
package io.leasehold.origins;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.FaultyStore;
import io.leasehold.testkit.ThreadLeakCheck;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** "Challenge 02 — Fencing-Token Distributed Lock", on real threads: requirement 6, hint 4, acceptance criterion 4. */
@ExtendWith(ThreadLeakCheck.class)
final class FencingTokenChallengeOnThreadsTest {

    private static final int CLIENTS = 4;
    private static final Duration LEASE = Duration.ofMillis(500);
    private static final Claim LOCK = Claim.exclusive(Scope.name("lock"));

    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);

    @AfterEach
    void close() {
        threads.shutdownNow();
    }

    /** Hint 4: two clients race to acquire after expiry. Many rounds, one winner in each. */
    @Test
    void exactlyOneOfManyClientsWinsTheRaceAfterEachExpiry() throws Exception {
        VirtualTime time = VirtualTime.create();
        MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
        int rounds = 500;
        CyclicBarrier expiry = new CyclicBarrier(CLIENTS, () -> time.advance(LEASE));
        List<List<Acquisition>> answers = runOnAll(client -> {
            List<Acquisition> mine = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                expiry.await();
                mine.add(store.acquire(request(client, round))
                        .toCompletableFuture()
                        .get());
            }
            return mine;
        });
        for (int round = 0; round < rounds; round++) {
            int current = round;
            List<Acquisition> race =
                    answers.stream().map(client -> client.get(current)).toList();
            assertThat(race).filteredOn(Granted.class::isInstance).hasSize(1);
            assertThat(race).filteredOn(Held.class::isInstance).hasSize(CLIENTS - 1);
            Granted winner = race.stream()
                    .filter(Granted.class::isInstance)
                    .map(Granted.class::cast)
                    .findFirst()
                    .orElseThrow();
            assertThat(winner.grant().token().value()).isEqualTo(round + 1L);
        }
    }

    /** Requirement 6: all operations at once, from all sides, on one lock and one resource. */
    @Test
    void hammeringLeavesNoTwoHoldersAndNoStaleWrite() throws Exception {
        int turns = 300;
        List<Long> written = new ArrayList<>(); // guarded by the guard
        MemoryGuard<List<Long>> resource = MemoryGuard.around("resource", written);
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            runOnAll(client -> {
                for (int turn = 0; turn < turns; turn++) {
                    try (Lease lease = leasehold.lock("lock").acquire(Duration.ofMinutes(1))) {
                        lease.renew();
                        long token = lease.token().value();
                        resource.write(lease.token(), tokens -> tokens.add(token));
                    }
                }
                return turns;
            });
        }
        assertThat(written).hasSize(CLIENTS * turns).isSorted().doesNotHaveDuplicates();
        assertThat(resource.mark().orElseThrow().value()).isEqualTo((long) CLIENTS * turns);
    }

    /** Requirement 6, without queueing: every try that finds the lock taken leaves no trace in the tokens. */
    @Test
    void concurrentTriesDrawOneTokenPerGrant() throws Exception {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            List<List<Long>> tokens = runOnAll(client -> {
                List<Long> mine = new ArrayList<>();
                for (int turn = 0; turn < 1000; turn++) {
                    Optional<Lease> free = leasehold.lock("lock").tryAcquire();
                    free.ifPresent(lease -> mine.add(lease.token().value()));
                    free.ifPresent(Lease::close);
                }
                return mine;
            });
            List<Long> all = tokens.stream().flatMap(List::stream).sorted().toList();
            assertThat(all).doesNotHaveDuplicates();
            assertThat(all.get(all.size() - 1)).isEqualTo((long) all.size());
            assertThat(tokens).allSatisfy(mine -> assertThat(mine).isSorted());
        }
    }

    /** Acceptance criterion 4, for the store: leases come and expire, and no thread ever starts. */
    @Test
    void theStoreStartsNoThread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        MemoryLeaseStore store = MemoryLeaseStore.create();
        for (int round = 0; round < 100; round++) {
            store.acquire(request(1, round));
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> !before.contains(thread))
                .noneMatch(thread ->
                        thread.getThreadGroup() == Thread.currentThread().getThreadGroup());
    }

    /** Acceptance criterion 4, for a client with threads of its own: held, waited for, lost, all over at the end. */
    @Test
    void aClientLeavesNoThreadBehind() throws Exception {
        FaultyStore way = FaultyStore.to(MemoryLeaseStore.create(), Time.system());
        CompletableFuture<Boolean> validAtLoss = new CompletableFuture<>();
        CompletableFuture<Lease> waiting;
        try (ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch();
                Leasehold leasehold = Leasehold.on(way)) {
            LockOptions brief = LockOptions.defaults().withTtl(Duration.ofMillis(100));
            Lease lost = leasehold.lock(brief, Scope.name("lost")).acquire(Duration.ZERO);
            lost.onLost(loss -> validAtLoss.complete(lost.isValid()));
            Lease held = leasehold.lock("held").acquire(Duration.ZERO);
            waiting = leasehold.lock("held").acquireAsync(Duration.ofMinutes(1));
            way.cutOff(true); // for longer than a lease: no word of the store is needed to know
            assertThat(validAtLoss.get(10, TimeUnit.SECONDS)).isFalse();
            way.cutOff(false);
            assertThat(held.isValid()).isTrue();
        }
        assertThat(waiting).isCompletedExceptionally();
    }

    private static LeaseRequest request(int client, int round) {
        return LeaseRequest.of(
                new LeaseId(client, round), LOCK, new Holder("client-" + client), LEASE);
    }

    /** Runs the work of every client on a thread of its own and returns what they return. */
    private <T> List<T> runOnAll(Work<T> work) throws Exception {
        List<Callable<T>> tasks = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            int number = client;
            tasks.add(() -> work.of(number));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> done : threads.invokeAll(tasks)) {
            results.add(done.get());
        }
        return results;
    }

    /** What one client does. */
    private interface Work<T> {
        T of(int client) throws Exception;
    }
}
