// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The primitives that share work: {@link JoinedCalls}, idempotent calls, {@link HandOvers}. */
final class FlightSuite {

    private static final int JOINS_PER_ONCE = 20;
    private static final String FIRST = "first calls";
    private static final String REPLAY = "replays";

    private FlightSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        List<Row> rows = new ArrayList<>(JoinedCalls.run(effort, progress));
        Medians medians = new Medians();
        once(effort.sizes().calls() / JOINS_PER_ONCE / 2, new Medians()); // to warm up
        Latencies unused = HandOvers.run(effort.handOff().dividedBy(2));
        for (int round = 1; round <= effort.rounds(); round++) {
            progress.printf("  round %d of %d, once and elections%n", round, effort.rounds());
            once(effort.sizes().calls() / JOINS_PER_ONCE, medians);
            Latencies latencies = HandOvers.run(effort.handOff());
            medians.add("p50", latencies.quantile(0.5));
            medians.add("p99", latencies.quantile(0.99));
        }
        for (String what : List.of(FIRST, REPLAY)) {
            Quantity figure = Quantity.perSecond(medians.of(what));
            rows.add(Row.of(Suite.FLIGHTS, "idempotent " + what + ", 1 thread", figure));
        }
        for (String quantile : List.of("p50", "p99")) {
            Quantity figure = Quantity.nanoseconds(medians.of(quantile));
            rows.add(Row.of(Suite.FLIGHTS, "from a leader to the next, " + quantile, figure));
        }
        return rows;
    }

    private static void once(int calls, Medians medians) {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            Idempotency<String> payments =
                    leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
            Digest payload = Digest.of("alice", "bob", "42.00");
            for (String what : List.of(FIRST, REPLAY)) {
                Crowd.Cost cost = Crowd.cost(calls, () -> call(payments, payload, calls));
                medians.add(what, 1e9 / cost.wallNanos());
            }
        }
    }

    private static void call(Idempotency<String> payments, Digest payload, int calls) {
        for (int i = 0; i < calls; i++) {
            Object unused = payments.once(Requests.name(i), payload, token -> "paid");
        }
    }
}
