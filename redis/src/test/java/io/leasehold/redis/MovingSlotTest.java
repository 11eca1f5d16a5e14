// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisCluster;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Locks are taken and released while the slot of their namespace moves to another node. */
@Isolated("it keeps the machine busy")
final class MovingSlotTest {

    private static final String KEY = "leasehold:{default}";
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final int WORKERS = 4;
    private static final int NAMES = 3;

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aLockReleasedWhileItsSlotMovesIsHandedOver(RedisBinary program) {
        try (RedisCluster cluster = RedisCluster.start(program, 0);
                RedisLeaseStore one = RedisLeaseStore.connect(uri(cluster));
                RedisLeaseStore two = RedisLeaseStore.connect(uri(cluster))) {
            RealTime.answer(one.release(Leases.grant(one, "released before", TTL)));
            Grant held = Leases.grant(one, "moved", TTL);
            CompletionStage<Acquisition> waits =
                    two.acquire(Leases.request("moved", TTL).waitingAtMost(WAIT));
            RealTime.until("it waits", () -> Leases.list(one).get(0).waiters() == 1);
            RedisServer to = other(cluster);
            cluster.beginMove(KEY, to);
            try {
                RealTime.answer(one.release(held));
            } catch (LeaseholdException e) {
                // then the lease must end by itself
            }
            assertThat(Leases.granted(waits).token()).isGreaterThan(held.token());
            cluster.endMove(KEY, to);
            Leases.granted(one.acquire(Leases.request("moved", TTL).waitingAtMost(WAIT)));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void noLockStaysHeldWhicheverKeysOfItsSlotHadMoved(RedisBinary program) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(WORKERS);
        AtomicBoolean over = new AtomicBoolean();
        try (RedisCluster cluster = RedisCluster.start(program, 0);
                RedisLeaseStore one = RedisLeaseStore.connect(options(cluster));
                RedisLeaseStore two = RedisLeaseStore.connect(options(cluster))) {
            AtomicInteger done = new AtomicInteger();
            for (int i = 0; i < WORKERS; i++) {
                RedisLeaseStore store = i % 2 == 0 ? one : two;
                executor.execute(() -> lockAndRelease(store, done, over));
            }
            RedisServer from = cluster.nodeOf(KEY);
            RedisServer to = other(cluster);
            cluster.beginMove(KEY, to);
            for (String key : keys(from)) {
                int before = done.get();
                RealTime.until("locks were tried", () -> done.get() >= before + WORKERS);
                from.command("MIGRATE", "127.0.0.1", Integer.toString(to.port()), key, "0", "5000");
            }
            cluster.endMove(KEY, to);
            over.set(true);
            for (int i = 0; i < NAMES; i++) {
                Leases.granted(one.acquire(Leases.request("name " + i, TTL).waitingAtMost(WAIT)));
            }
        } finally {
            over.set(true);
            executor.shutdownNow();
        }
    }

    private static void lockAndRelease(
            RedisLeaseStore store, AtomicInteger done, AtomicBoolean over) {
        while (!over.get()) {
            try {
                String name = "name " + done.getAndIncrement() % NAMES;
                Acquisition answer = RealTime.answer(
                        store.acquire(Leases.request(name, TTL).waitingAtMost(TTL)));
                if (answer instanceof Acquisition.Granted granted) {
                    RealTime.answer(store.release(granted.grant()));
                }
            } catch (LeaseholdException e) {
                // it may fail while the slot moves, but not for good
            }
        }
    }

    private static List<String> keys(RedisServer node) {
        Object slot = Objects.requireNonNull(node.command("CLUSTER", "KEYSLOT", KEY));
        List<?> keys = Objects.requireNonNull(
                (List<?>) node.command("CLUSTER", "GETKEYSINSLOT", slot.toString(), "100"));
        return keys.stream().map(String::valueOf).toList();
    }

    private static RedisServer other(RedisCluster cluster) {
        RedisServer owner = cluster.nodeOf(KEY);
        return cluster.nodes().stream()
                .filter(node -> node != owner)
                .findFirst()
                .orElseThrow();
    }

    private static RedisOptions options(RedisCluster cluster) {
        return RedisOptions.at(uri(cluster)).withPatience(Duration.ofSeconds(1));
    }

    private static String uri(RedisCluster cluster) {
        return cluster.nodes().stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }
}
