// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Contended locks at several numbers of waiters: through the SPI, through the user's API, and the JDK's fair one. */
final class HandOffSuite {

    private static final List<Integer> WAITERS = List.of(2, 8, 64);
    private static final Duration WAIT = Duration.ofMinutes(1);
    private static final String JDK = "fair ReentrantLock";
    private static final String USER = "FencedLock";
    private static final String ENGINE = "engine, chained";

    private static final double GOAL = 2; // times the JDK's lock, between two waiters

    private HandOffSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        Medians medians = new Medians();
        try (MemoryLeaseStore store = MemoryLeaseStore.create();
                Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            Map<String, HandOff> locks = new LinkedHashMap<>();
            locks.put(JDK, jdk());
            locks.put(USER, user(leasehold));
            locks.put(ENGINE, new ChainedHandOff(store, Requests.named(0)));
            for (int round = 1; round <= effort.rounds(); round++) {
                progress.printf("  round %d of %d%n", round, effort.rounds());
                for (int waiters : WAITERS) {
                    locks.forEach((name, lock) -> measure(name, lock, waiters, effort, medians));
                }
            }
        }
        List<Row> rows = new ArrayList<>();
        for (int waiters : WAITERS) {
            rows.addAll(rows(waiters, medians));
        }
        return rows;
    }

    private static HandOff jdk() {
        ReentrantLock lock = new ReentrantLock(true);
        return new ThreadedHandOff(body -> {
            lock.lock();
            try {
                body.run();
            } finally {
                lock.unlock();
            }
        });
    }

    private static HandOff user(Leasehold leasehold) {
        FencedLock lock = leasehold.lock(Requests.name(0));
        return new ThreadedHandOff(body -> {
            try (Lease lease = lock.acquire(WAIT)) {
                body.run();
            }
        });
    }

    private static void measure(
            String name, HandOff lock, int waiters, Effort effort, Medians medians) {
        Latencies unused = lock.run(waiters, effort.handOff().dividedBy(2)); // to warm up
        Latencies latencies = lock.run(waiters, effort.handOff());
        double seconds = effort.handOff().toNanos() / 1e9;
        medians.add(name + waiters, latencies.count() / seconds);
        medians.add(name + waiters + "p50", latencies.quantile(0.5));
        medians.add(name + waiters + "p99", latencies.quantile(0.99));
    }

    private static List<Row> rows(int waiters, Medians medians) {
        List<Row> rows = new ArrayList<>();
        rows.add(pairs(JDK, waiters, medians));
        for (String name : List.of(USER, ENGINE)) {
            Quantity jdk = pairs(JDK, waiters, medians).figure();
            rows.add(pairs(name, waiters, medians).beside(JDK, jdk));
        }
        for (String quantile : List.of("p50", "p99")) {
            Quantity jdk = latency(JDK, waiters, quantile, medians).figure();
            Row user = latency(USER, waiters, quantile, medians).beside(JDK, jdk);
            rows.add(waiters == 2 ? user.atMost(GOAL) : user);
            rows.add(latency(ENGINE, waiters, quantile, medians).beside(JDK, jdk));
        }
        return rows;
    }

    private static Row pairs(String name, int waiters, Medians medians) {
        Quantity figure = Quantity.perSecond(medians.of(name + waiters));
        return Row.of(Suite.HANDOFF, name + ", " + waiters + " waiters", figure);
    }

    private static Row latency(String name, int waiters, String quantile, Medians medians) {
        Quantity figure = Quantity.nanoseconds(medians.of(name + waiters + quantile));
        return Row.of(Suite.HANDOFF, name + ", " + waiters + " waiters, " + quantile, figure);
    }
}
