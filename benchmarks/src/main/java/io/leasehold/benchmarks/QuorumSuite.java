// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.quorum.QuorumLeaseStore;
import io.leasehold.quorum.QuorumOptions;
import io.leasehold.redis.RedisLeaseStore;
import io.leasehold.redis.RedisOptions;
import io.leasehold.redis.RedisQuorumNode;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RedisServer;

import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Acquire + release on five real Redis, each thread its own lock. */
final class QuorumSuite {

    private static final int NODES = 5;
    private static final List<Integer> THREADS = List.of(1, 8, 64);
    private static final int MANY = 64;
    private static final String SINGLE = "Leasehold's engine on one Redis";
    private static final String RED_LOCK = "Redisson RedLock";
    private static final String MULTI_LOCK = "Redisson MultiLock";
    private static final String QUORUM = "Leasehold's quorum engine";
    private static final String QUORUM_LOCK = "Leasehold FencedLock on the quorum";
    private static final double RED_LOCK_GOAL = 5;
    private static final double LATENCY_GOAL = 2.5; // two rounds to acquire, one to release

    /** Loggers, kept so that their level is. */
    private static final List<Logger> SILENCED = List.of(
            Logger.getLogger("io.leasehold.redis.RedisLeaseStore"),
            Logger.getLogger("io.leasehold.quorum.Member"));

    private QuorumSuite() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        SILENCED.forEach(logger -> logger.setLevel(Level.OFF));
        List<RedisServer> servers = new ArrayList<>();
        Map<String, LockClient> clients = new LinkedHashMap<>();
        try {
            for (int i = 0; i < NODES; i++) {
                servers.add(RedisServer.start());
            }
            List<URI> uris =
                    servers.stream().map(server -> URI.create(server.uri())).toList();
            clients.put(
                    SINGLE, new EngineLocks(RedisLeaseStore.connect(uris.get(0).toString())));
            clients.put(RED_LOCK, RedissonQuorum.redLock(uris, MANY));
            clients.put(MULTI_LOCK, RedissonQuorum.multiLock(uris, MANY));
            clients.put(QUORUM, new EngineLocks(quorum(uris, "engine")));
            clients.put(QUORUM_LOCK, new FencedLocks(quorum(uris, "lock")));
            return rows(measure(clients, effort, progress));
        } finally {
            clients.values().forEach(LockClient::close);
            servers.forEach(RedisServer::close);
        }
    }

    private static LeaseStore quorum(List<URI> servers, String name) {
        RedisQuorumNode[] nodes = servers.stream()
                .map(server ->
                        RedisQuorumNode.at(RedisOptions.at(server.toString()).withNamespace(name)))
                .toArray(RedisQuorumNode[]::new);
        return QuorumLeaseStore.over(QuorumOptions.defaults().withName(name).asNew(), nodes);
    }

    private static Medians measure(
            Map<String, LockClient> clients, Effort effort, PrintStream progress) {
        Medians medians = new Medians();
        progress.println("  warming up");
        clients.forEach((name, client) -> {
            Callers unused =
                    Callers.run(MANY, effort.timing().warmUp().dividedBy(2), calls(client));
        });
        for (int round = 1; round <= effort.rounds(); round++) {
            progress.printf("  round %d of %d%n", round, effort.rounds());
            for (int threads : THREADS) {
                clients.forEach((name, client) -> {
                    System.gc(); // nobody pays for what others left behind
                    Callers result =
                            Callers.run(threads, effort.timing().measurement(), calls(client));
                    medians.add(name + " rate " + threads, result.perSecond());
                    medians.add(name + " p50 " + threads, result.latencies().quantile(0.5));
                });
            }
        }
        return medians;
    }

    private static IntFunction<Runnable> calls(LockClient client) {
        return thread -> {
            LockClient.NamedLock lock = client.lock(Requests.name(thread));
            return () -> {
                lock.acquire();
                lock.release();
            };
        };
    }

    private static List<Row> rows(Medians medians) {
        List<Row> rows = new ArrayList<>();
        for (int threads : THREADS) {
            for (String name : List.of(SINGLE, RED_LOCK, MULTI_LOCK, QUORUM, QUORUM_LOCK)) {
                Row row = Row.of(
                        Suite.QUORUM, what(name, threads, "pairs"), rate(medians, name, threads));
                boolean ours = name.equals(QUORUM) || name.equals(QUORUM_LOCK);
                if (name.equals(RED_LOCK) || name.equals(SINGLE)) {
                    rows.add(row);
                } else {
                    Row beside = row.beside(RED_LOCK, rate(medians, RED_LOCK, threads));
                    rows.add(ours ? beside.atLeast(RED_LOCK_GOAL) : beside);
                }
            }
            for (String name : List.of(SINGLE, RED_LOCK, MULTI_LOCK, QUORUM, QUORUM_LOCK)) {
                Row row = Row.of(
                        Suite.QUORUM,
                        what(name, threads, "p50 of a pair"),
                        p50(medians, name, threads));
                if (name.equals(SINGLE)) {
                    rows.add(row);
                } else {
                    Row beside = row.beside(SINGLE, p50(medians, SINGLE, threads));
                    rows.add(name.equals(QUORUM) ? beside.atMost(LATENCY_GOAL) : beside);
                }
            }
        }
        return rows;
    }

    private static String what(String name, int threads, String quantity) {
        return name + ", " + (threads == 1 ? "1 thread" : threads + " threads") + ", " + quantity;
    }

    private static Quantity rate(Medians medians, String name, int threads) {
        return Quantity.perSecond(medians.of(name + " rate " + threads));
    }

    private static Quantity p50(Medians medians, String name, int threads) {
        return Quantity.nanoseconds(medians.of(name + " p50 " + threads));
    }
}
