// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.Codec;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls on one hot key, ours beside a join by hand: futures that are taken while one flight is
 * under way, until all are complete; and threads that wait, call after call.
 */
final class JoinedCalls {

    private static final List<Integer> ASYNC_THREADS = List.of(1, 2);
    private static final int ASYNC_REPEATS = 5; // one is too short for the processors' clock
    private static final int BLOCKING_THREADS = 64;
    private static final Duration A_WHILE = Duration.ofMillis(1);
    private static final double GOAL = 2; // times the join by hand
    private static final String BY_HAND = "by hand";
    private static final String OURS = "ours";

    private final Effort effort;
    private final Medians medians = new Medians();

    private JoinedCalls(Effort effort) {
        this.effort = effort;
    }

    static List<Row> run(Effort effort, PrintStream progress) {
        JoinedCalls calls = new JoinedCalls(effort);
        ExecutorService workers = Executors.newCachedThreadPool();
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            Map<String, Joins> peers = new LinkedHashMap<>();
            peers.put(BY_HAND, new Joins.ByHand(new ConcurrentHashMap<>(), workers));
            peers.put(OURS, new Joins.Product(leasehold.singleFlight("flights", Codec.strings())));
            peers.values().forEach(calls::warmUp);
            for (int round = 1; round <= effort.rounds(); round++) {
                progress.printf("  round %d of %d, joins%n", round, effort.rounds());
                peers.forEach(calls::measure);
            }
        } finally {
            workers.shutdownNow();
        }
        return calls.rows();
    }

    private void warmUp(Joins joins) {
        for (int i = 0; i < 3; i++) {
            async(joins, 2, effort.sizes().calls() / 4);
            blocking(joins, effort.sizes().calls() / 40, Duration.ZERO);
        }
    }

    private void measure(String name, Joins joins) {
        int calls = effort.sizes().calls();
        for (int threads : ASYNC_THREADS) {
            Crowd.Cost cost = Crowd.cost(ASYNC_REPEATS * calls, () -> {
                for (int i = 0; i < ASYNC_REPEATS; i++) {
                    async(joins, threads, calls);
                }
            });
            add(name, async(threads), cost);
        }
        add(name, blocking(A_WHILE), Crowd.cost(calls, () -> blocking(joins, calls, A_WHILE)));
        add(
                name,
                blocking(Duration.ZERO),
                Crowd.cost(calls, () -> blocking(joins, calls, Duration.ZERO)));
    }

    /** Everybody joins while the first one's work stands still; then all get its value. */
    private static void async(Joins joins, int threads, int calls) {
        CountDownLatch gate = new CountDownLatch(1);
        Joins.Work work = () -> {
            gate.await();
            return "value";
        };
        CompletableFuture<?>[] seats = new CompletableFuture<?>[calls + 1];
        seats[calls] = joins.getAsync(work);
        Crowd.run(threads, calls, (from, to) -> {
            for (int i = from; i < to; i++) {
                seats[i] = joins.getAsync(work);
            }
        });
        gate.countDown();
        for (CompletableFuture<?> seat : seats) {
            Object unused = seat.join();
        }
    }

    private static void blocking(Joins joins, int calls, Duration length) {
        Joins.Work work = () -> {
            pause(length);
            return "value";
        };
        Crowd.run(BLOCKING_THREADS, calls, (from, to) -> {
            for (int i = from; i < to; i++) {
                String unused = joins.get(work);
            }
        });
    }

    private static void pause(Duration length) {
        if (!length.isZero()) {
            LockSupport.parkNanos(length.toNanos());
        }
    }

    // ---- reporting

    private void add(String name, String what, Crowd.Cost cost) {
        medians.add(name + what, cost.wallNanos());
        medians.add(name + what + "processor", cost.processorNanos());
    }

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int threads : ASYNC_THREADS) {
            rows.add(row(async(threads), "").atMost(GOAL));
            rows.add(row(async(threads), "processor").atMost(GOAL));
        }
        rows.add(row(blocking(A_WHILE), "").atMost(GOAL));
        rows.add(row(blocking(A_WHILE), "processor").atMost(GOAL));
        rows.add(row(blocking(Duration.ZERO), ""));
        rows.add(row(blocking(Duration.ZERO), "processor"));
        return rows;
    }

    private Row row(String what, String time) {
        Quantity ours = Quantity.nanoseconds(medians.of(OURS + what + time));
        Quantity byHand = Quantity.nanoseconds(medians.of(BY_HAND + what + time));
        String title = time.isEmpty() ? what : what + ", processor time";
        return Row.of(Suite.FLIGHTS, title, ours).beside(BY_HAND, byHand);
    }

    private static String async(int threads) {
        return "join by future, " + threads + (threads == 1 ? " thread" : " threads");
    }

    private static String blocking(Duration length) {
        return "call of one of " + BLOCKING_THREADS + " threads, work of "
                + (length.isZero() ? "nothing" : length.toMillis() + " ms");
    }
}
