// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.benchmarks.Contestant.Kind;
import io.leasehold.benchmarks.Contestant.Part;
import io.leasehold.benchmarks.LockClient.NamedLock;
import io.leasehold.testkit.RedisServer;

import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Acquire + release by the threads of one client of each contestant: each thread its own lock, and
 * all of them one.
 */
final class RedisPairs {

    private static final List<Integer> ALONE = List.of(1, 8, 64);
    private static final List<Integer> TOGETHER = List.of(8, 64);
    private static final int MANY = 64;
    private static final String CLIENT = " client's processor time";
    private static final String SERVER = " server's processor time";
    private static final double LETTUCE_GOAL = 0.8; // the summit is 1.3
    private static final double FENCED_GOAL = 3;
    private static final double FENCED_GOAL_OF_ONE = 1.5; // the summit is 2.5

    private final Medians medians = new Medians();
    private final RedisServer server;
    private final ServerLoad load;
    private final List<Contestant> field;
    private final Effort effort;
    private final PrintStream progress;

    private RedisPairs(
            RedisServer server, List<Contestant> field, Effort effort, PrintStream progress) {
        this.server = server;
        this.load = new ServerLoad(server);
        this.field = field;
        this.effort = effort;
        this.progress = progress;
    }

    static List<Row> run(
            RedisServer server, List<Contestant> field, Effort effort, PrintStream progress) {
        RedisPairs pairs = new RedisPairs(server, field, effort, progress);
        pairs.measure();
        return pairs.rows();
    }

    // ---- measuring

    private void measure() {
        Map<Contestant, LockClient> clients = new LinkedHashMap<>();
        try {
            for (Contestant contestant : field) {
                clients.put(contestant, contestant.connect(URI.create(server.uri()), MANY));
            }
            progress.println("  warming up");
            for (Part part : List.of(Part.UNCONTENDED, Part.CONTENDED)) {
                warmUp(part, clients);
            }
            for (int round = 1; round <= effort.rounds(); round++) {
                progress.printf("  round %d of %d%n", round, effort.rounds());
                measure(Part.UNCONTENDED, ALONE, clients);
                measure(Part.CONTENDED, TOGETHER, clients);
            }
        } finally {
            clients.values().forEach(LockClient::close);
        }
    }

    private void warmUp(Part part, Map<Contestant, LockClient> clients) {
        Duration length = effort.timing().warmUp().dividedBy(2);
        clients.forEach((contestant, client) -> {
            if (contestant.parts().contains(part)) {
                Callers unused = Callers.run(MANY, length, calls(part, client));
            }
        });
    }

    private void measure(Part part, List<Integer> crowds, Map<Contestant, LockClient> clients) {
        for (int threads : crowds) {
            clients.forEach((contestant, client) -> {
                if (contestant.parts().contains(part)) {
                    measure(key(part, contestant.name(), threads), threads, calls(part, client));
                }
            });
        }
    }

    private void measure(String key, int threads, IntFunction<Runnable> calls) {
        System.gc(); // nobody pays for what others left behind
        long server = load.processorNanos();
        long client = RenewalLoad.THIS_PROCESS.getAsLong();
        Callers result = Callers.run(threads, effort.timing().measurement(), calls);
        client = RenewalLoad.THIS_PROCESS.getAsLong() - client;
        server = load.processorNanos() - server;
        medians.add(key, result.perSecond());
        medians.add(key + CLIENT, (double) client / result.calls());
        medians.add(key + SERVER, (double) server / result.calls());
    }

    private static IntFunction<Runnable> calls(Part part, LockClient client) {
        return thread -> {
            String name = part == Part.UNCONTENDED ? Requests.name(thread) : "contended";
            NamedLock lock = client.lock(name);
            return () -> {
                lock.acquire();
                lock.release();
            };
        };
    }

    // ---- rows

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        ALONE.forEach(threads -> rows.addAll(alone(threads)));
        TOGETHER.forEach(threads -> rows.addAll(together(threads)));
        Contestant.in(Part.UNCONTENDED, field)
                .forEach(contestant -> rows.add(processor(contestant)));
        return rows;
    }

    private List<Row> alone(int threads) {
        List<Row> rows = new ArrayList<>();
        for (Contestant contestant : Contestant.in(Part.UNCONTENDED, field)) {
            Row row = row(Part.UNCONTENDED, contestant.name(), threads);
            if (contestant.kind() == Kind.LIMIT) {
                rows.add(row);
                continue;
            }
            Row besideLimit = beside(row, Part.UNCONTENDED, Contestant.LETTUCE, threads);
            if (contestant.kind() == Kind.PEER) {
                rows.add(besideLimit);
                continue;
            }
            String fastest = fastestPeer(threads);
            double goal = threads == 1 ? FENCED_GOAL_OF_ONE : FENCED_GOAL;
            rows.add(threads == MANY ? besideLimit.atLeast(LETTUCE_GOAL) : besideLimit);
            rows.add(beside(row, Part.UNCONTENDED, Contestant.FENCED, threads).atLeast(goal));
            rows.add(beside(row, Part.UNCONTENDED, fastest, threads).atLeast(1));
        }
        return rows;
    }

    private String fastestPeer(int threads) {
        return Contestant.in(Part.UNCONTENDED, field).stream()
                .filter(contestant -> contestant.kind() == Kind.PEER)
                .map(Contestant::name)
                .max(Comparator.comparing(name -> medians.of(key(Part.UNCONTENDED, name, threads))))
                .orElseThrow();
    }

    private List<Row> together(int threads) {
        List<Row> rows = new ArrayList<>();
        for (Contestant contestant : Contestant.in(Part.CONTENDED, field)) {
            Row row = row(Part.CONTENDED, contestant.name(), threads);
            Row beside = contestant.name().equals(Contestant.FENCED)
                    ? row
                    : beside(row, Part.CONTENDED, Contestant.FENCED, threads);
            boolean judged = contestant.kind() == Kind.OURS && threads == MANY;
            rows.add(judged ? beside.atLeast(FENCED_GOAL) : beside);
        }
        return rows;
    }

    /** What a pair costs on either side, the clock left aside. */
    private Row processor(Contestant contestant) {
        String what = key(Part.UNCONTENDED, contestant.name(), MANY);
        return Row.of(
                        Suite.REDIS,
                        contestant + ", own locks, " + MANY + " threads, processor time",
                        Quantity.nanoseconds(medians.of(what + CLIENT)))
                .beside("in the server", Quantity.nanoseconds(medians.of(what + SERVER)));
    }

    private Row row(Part part, String name, int threads) {
        String what = part == Part.UNCONTENDED ? ", own locks, " : ", one lock, ";
        String suffix = threads == 1 ? "1 thread" : threads + " threads";
        return Row.of(Suite.REDIS, name + what + suffix, figure(part, name, threads));
    }

    private Row beside(Row row, Part part, String name, int threads) {
        return row.beside(name, figure(part, name, threads));
    }

    private Quantity figure(Part part, String name, int threads) {
        return Quantity.perSecond(medians.of(key(part, name, threads)));
    }

    private static String key(Part part, String name, int threads) {
        return name + " " + part + " " + threads;
    }
}
