// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.SessionRequest;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Acquire + release by way of a server on a journal, in a process of its own: beside etcd, where
 * there is one, and beside what the server's stack gives if it only sends back what came. JSON also
 * on a server in memory, which is what compares with that.
 */
final class ServerSuite {

    private static final List<Integer> ALONE = List.of(1, 8, 64);
    private static final int MANY = 64;
    private static final int WARM_UPS = 5; // a server has more to compile than a loop
    private static final String ETCD = "etcd, a lease for each lock";
    private static final String STREAM_ECHO = "echo on a shared stream";
    private static final String JSON_ECHO = "echo of JSON";
    private static final String ENGINE = "Leasehold's remote engine";
    private static final String LOCK = "Leasehold FencedLock on the server";
    private static final String JSON = "Leasehold by JSON over HTTP";
    private static final String JSON_IN_MEMORY = "Leasehold by JSON, in memory";
    private static final String APART = " apart ";
    private static final String TOGETHER = " together ";
    private static final double ETCD_GOAL = 10;
    private static final double STREAM_GOAL = 0.4; // of calls, of which a pair has two
    private static final double JSON_GOAL = 0.5;

    private final Medians medians = new Medians();
    private final Map<String, LockClient> locks = new LinkedHashMap<>();
    private final Map<String, IntFunction<Runnable>> echoes = new LinkedHashMap<>();
    private final Effort effort;
    private final PrintStream progress;

    private ServerSuite(Effort effort, PrintStream progress) {
        this.effort = effort;
        this.progress = progress;
    }

    static List<Row> run(Effort effort, PrintStream progress) {
        ServerSuite suite = new ServerSuite(effort, progress);
        try (Scratch scratch = Scratch.under(effort.disk());
                ServerProcess server = ServerProcess.start("journal:" + scratch.file("journal"));
                ServerProcess inMemory = ServerProcess.start("memory");
                EchoStream echo = new EchoStream(server.echoPort())) {
            Optional<Etcd> etcd =
                    Etcd.program().map(program -> Etcd.start(program, scratch.file("etcd")));
            try {
                if (etcd.isPresent()) {
                    suite.locks.put(ETCD, EtcdLocks.connect(etcd.get().address()));
                } else {
                    progress.println("  no etcd on the path: it is left out");
                }
                suite.add(server, echo);
                suite.locks.put(JSON_IN_MEMORY, new JsonLocks(inMemory.port()));
                suite.measure();
                return suite.rows();
            } finally {
                suite.locks.values().forEach(LockClient::close);
                etcd.ifPresent(Etcd::close);
            }
        }
    }

    // ---- measuring

    private void add(ServerProcess server, EchoStream stream) {
        String address = "leasehold://127.0.0.1:" + server.port();
        echoes.put(STREAM_ECHO, thread -> {
            SessionRequest message = acquireOf(thread);
            return () -> stream.call(message);
        });
        locks.put(ENGINE, new EngineLocks(RemoteLeaseStore.connect(address)));
        locks.put(LOCK, new FencedLocks(RemoteLeaseStore.connect(address)));
        echoes.put(JSON_ECHO, thread -> {
            JsonConnection connection = JsonConnection.open(server.echoPort());
            String body = "{\"scopes\":[\"name:" + Requests.name(thread) + "\"],\"ttl\":\"30s\"}";
            return () -> {
                String unused = connection.post(Echo.JSON, body);
            };
        });
        locks.put(JSON, new JsonLocks(server.port()));
    }

    private static SessionRequest acquireOf(int thread) {
        return SessionRequest.newBuilder()
                .addCalls(Call.newBuilder()
                        .setAcquire(ToWire.acquire(
                                "default", Requests.waiting(thread).next(Requests.named(thread)))))
                .build();
    }

    private void measure() {
        for (int i = 1; i <= WARM_UPS; i++) {
            progress.printf("  warming up, %d of %d%n", i, WARM_UPS);
            locks.forEach((name, client) -> {
                Callers unused = callers(MANY, true, pairs(client, false));
            });
            echoes.forEach((name, calls) -> {
                Callers unused = callers(MANY, true, calls);
            });
        }
        for (int round = 1; round <= effort.rounds(); round++) {
            progress.printf("  round %d of %d%n", round, effort.rounds());
            for (int threads : ALONE) {
                echoes.forEach((name, calls) -> medians.add(
                        name + APART + threads, callers(threads, false, calls).perSecond()));
                locks.forEach((name, client) -> medians.add(
                        name + APART + threads,
                        callers(threads, false, pairs(client, false)).perSecond()));
            }
            locks.forEach((name, client) -> medians.add(
                    name + TOGETHER + MANY,
                    callers(MANY, false, pairs(client, true)).perSecond()));
        }
    }

    private Callers callers(int threads, boolean warmUp, IntFunction<Runnable> calls) {
        System.gc(); // nobody pays for what others left behind
        return Callers.run(
                threads, warmUp ? effort.timing().warmUp() : effort.timing().measurement(), calls);
    }

    private static IntFunction<Runnable> pairs(LockClient client, boolean contended) {
        return thread -> {
            LockClient.NamedLock lock =
                    client.lock(contended ? "contended" : Requests.name(thread));
            return () -> {
                lock.acquire();
                lock.release();
            };
        };
    }

    // ---- rows

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int threads : ALONE) {
            echoes.keySet()
                    .forEach(name -> rows.add(Row.of(
                            Suite.SERVER,
                            what(name, "calls", threads),
                            rate(name + APART + threads, 1))));
            for (String name : locks.keySet()) {
                rows.addAll(apart(name, threads));
            }
        }
        for (String name : locks.keySet()) {
            Row row = Row.of(
                    Suite.SERVER, what(name, "one lock", MANY), rate(name + TOGETHER + MANY, 1));
            rows.add(
                    isJava(name) && locks.containsKey(ETCD)
                            ? row.beside(ETCD, rate(ETCD + TOGETHER + MANY, 1)).atLeast(ETCD_GOAL)
                            : row);
        }
        return rows;
    }

    private List<Row> apart(String name, int threads) {
        List<Row> rows = new ArrayList<>();
        String key = name + APART + threads;
        Row pairs = Row.of(Suite.SERVER, what(name, "own locks", threads), rate(key, 1));
        if (name.equals(ETCD)) {
            return List.of(pairs);
        }
        if (locks.containsKey(ETCD) && !name.equals(JSON_IN_MEMORY)) {
            Row beside = pairs.beside(ETCD, rate(ETCD + APART + threads, 1));
            rows.add(threads == MANY && isJava(name) ? beside.atLeast(ETCD_GOAL) : beside);
        }
        String echo = isJava(name) ? STREAM_ECHO : JSON_ECHO;
        Row calls = Row.of(Suite.SERVER, what(name, "own locks, calls", threads), rate(key, 2))
                .beside(echo, rate(echo + APART + threads, 1));
        if (isJava(name)) {
            rows.add(threads == MANY ? calls.atLeast(STREAM_GOAL) : calls);
        } else {
            // a disk is no part of what the echo does
            rows.add(name.equals(JSON_IN_MEMORY) ? calls.atLeast(JSON_GOAL) : calls);
        }
        return rows;
    }

    private static boolean isJava(String name) {
        return name.equals(ENGINE) || name.equals(LOCK);
    }

    private static String what(String name, String what, int threads) {
        return name + ", " + what + ", " + (threads == 1 ? "1 thread" : threads + " threads");
    }

    private Quantity rate(String key, int calls) {
        return Quantity.perSecond(calls * medians.of(key));
    }
}
