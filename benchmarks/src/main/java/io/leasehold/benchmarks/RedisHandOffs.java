// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.benchmarks.Contestant.Kind;
import io.leasehold.benchmarks.Contestant.Part;
import io.leasehold.testkit.RedisServer;

import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** From just before a release until the next waiter has the lock, each waiter in its own client. */
final class RedisHandOffs {

    private static final List<Integer> WAITERS = List.of(2, 8, 64);
    private static final int MANY = 64;
    private static final int TIMES_LONGER = 2; // than other hand-offs: these are slower
    private static final double P50_GOAL = 1 / 8.0;
    private static final double P99_GOAL = 1 / 2.0;

    private RedisHandOffs() {}

    static List<Row> run(
            RedisServer server, List<Contestant> field, Effort effort, PrintStream progress) {
        List<Contestant> waiting = Contestant.in(Part.HAND_OFF, field);
        Medians medians = new Medians();
        Duration length = effort.handOff().multipliedBy(TIMES_LONGER);
        List<Integer> crowds = WAITERS.stream()
                .filter(waiters -> waiters <= effort.sizes().clients())
                .toList();
        URI uri = URI.create(server.uri());
        for (int round = 1; round <= effort.rounds(); round++) {
            progress.printf("  hand-offs, round %d of %d%n", round, effort.rounds());
            for (Contestant contestant : waiting) {
                measure(contestant, uri, crowds, length, medians);
            }
        }
        List<Row> rows = new ArrayList<>();
        for (int waiters : crowds) {
            for (Contestant contestant : waiting) {
                rows.add(row(contestant, "p50", waiters, medians));
            }
            for (Contestant contestant : waiting) {
                rows.add(row(contestant, "p99", waiters, medians));
            }
        }
        return rows;
    }

    private static void measure(
            Contestant contestant,
            URI server,
            List<Integer> crowds,
            Duration length,
            Medians medians) {
        List<LockClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i <= Collections.max(crowds); i++) {
                clients.add(contestant.connect(server, 1));
            }
            HandOff handOff = new ClientHandOff(
                    clients.stream().map(client -> client.lock("handed off")).toList());
            for (int waiters : crowds) {
                Latencies latencies = handOff.run(waiters, length);
                medians.add(key(contestant.name(), "p50", waiters), latencies.quantile(0.5));
                medians.add(key(contestant.name(), "p99", waiters), latencies.quantile(0.99));
            }
        } finally {
            clients.forEach(LockClient::close);
        }
    }

    private static Row row(Contestant contestant, String quantile, int waiters, Medians medians) {
        Row row = Row.of(
                Suite.REDIS,
                contestant + ", hand-off, " + waiters + " waiters, " + quantile,
                figure(contestant.name(), quantile, waiters, medians));
        if (contestant.name().equals(Contestant.FENCED)) {
            return row;
        }
        Quantity fenced = figure(Contestant.FENCED, quantile, waiters, medians);
        Row beside = row.beside(Contestant.FENCED, fenced);
        boolean judged = contestant.kind() == Kind.OURS && waiters == MANY;
        return judged ? beside.atMost(quantile.equals("p50") ? P50_GOAL : P99_GOAL) : beside;
    }

    private static Quantity figure(String name, String quantile, int waiters, Medians medians) {
        return Quantity.nanoseconds(medians.of(key(name, quantile, waiters)));
    }

    private static String key(String name, String quantile, int waiters) {
        return name + " " + quantile + " " + waiters;
    }
}
