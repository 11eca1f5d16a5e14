// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisCluster;
import io.leasehold.testkit.RedisSentinels;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores on clusters and under Sentinels. */
@Execution(ExecutionMode.CONCURRENT)
final class ClusteredStoreTest {

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void everyNodeOfAClusterServesNamespaces(RedisBinary program) {
        try (RedisCluster cluster = RedisCluster.start(program, 0, "requirepass s3cret")) {
            RedisOptions options = RedisOptions.at(uri(cluster, "s3cret@"));
            for (RedisServer node : cluster.nodes()) {
                String namespace = IntStream.range(0, 1000)
                        .mapToObj(i -> "ns-" + i)
                        .filter(name -> cluster.nodeOf(key(name)) == node)
                        .findFirst()
                        .orElseThrow();
                Workout.on(options.withNamespace(namespace));
                assertThat(node.command("EXISTS", key(namespace))).isEqualTo(1L);
            }
        }
    }

    @Test
    void oneNodeLeadsToAll() {
        try (RedisCluster cluster = RedisCluster.start()) {
            String uri = "redis-cluster://127.0.0.1:" + cluster.nodes().get(0).port();
            Workout.on(RedisOptions.at(uri).withNamespace("one"));
            Workout.on(RedisOptions.at(uri).withNamespace("another"));
        }
    }

    @Test
    void aStoreFollowsItsSlot() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisLeaseStore one = RedisLeaseStore.connect(uri(cluster, ""));
                RedisLeaseStore two = RedisLeaseStore.connect(uri(cluster, ""))) {
            Grant held = Ask.granted(one, Ask.request("moved"));
            CompletionStage<Acquisition> waits =
                    two.acquire(Ask.request("moved").waitingAtMost(Duration.ofSeconds(15)));
            RedisServer from = cluster.nodeOf(key("default"));
            RedisServer to = cluster.nodes().stream()
                    .filter(node -> node != from)
                    .findFirst()
                    .orElseThrow();
            cluster.move(key("default"), to);
            assertThat(Ask.answer(one.release(held))).isEqualTo(new Ending.Ended());
            Grant next = Ask.granted(Ask.answer(waits));
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(to.command("EXISTS", key("default"))).isEqualTo(1L);
        }
    }

    @Test
    void aStoreFollowsItsReplica() {
        try (RedisCluster cluster = RedisCluster.start(RedisBinary.bundled(), 1);
                RedisLeaseStore store = RedisLeaseStore.connect(
                        RedisOptions.at(uri(cluster, "")).withPatience(Duration.ofSeconds(2)))) {
            assertThat(store.guarantees().caveats())
                    .contains("replication is asynchronous: a fail-over may forget the last"
                            + " leases");
            Grant held = Ask.granted(store, Ask.request("failed over"));
            cluster.failOver(key("default"));
            LeaseRequest request = Ask.request("failed over, too");
            Grant next = Ask.granted(persistently(store, request));
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(Ask.answer(store.release(held))).isEqualTo(new Ending.Ended());
        }
    }

    /** As a client does: again with the same id. */
    private static Acquisition persistently(RedisLeaseStore store, LeaseRequest request) {
        LeaseholdException last = new StoreUnavailableException("never asked");
        for (int i = 0; i < 20; i++) {
            try {
                return Ask.answer(store.acquire(request));
            } catch (LeaseholdException e) {
                last = e;
            }
        }
        throw last;
    }

    @Test
    void aNodeThatIsTakenForALoneServerSaysWhatToUse() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisServer owner = cluster.nodeOf(key("default"));
            for (RedisServer node : cluster.nodes()) {
                if (node != owner) {
                    assertThatExceptionOfType(StoreUnavailableException.class)
                            .isThrownBy(() -> RedisLeaseStore.connect(node.uri()))
                            .withMessage("MOVED: this Redis is part of a cluster; use"
                                    + " redis-cluster://");
                }
            }
        }
    }

    @Test
    void aLoneServerThatIsTakenForAClusterIsNone() {
        try (RedisServer redis = RedisServer.start()) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(
                            "redis-cluster://s3cret@127.0.0.1:" + redis.port()))
                    .withMessageContaining("cluster")
                    .withMessageNotContaining("s3cret");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void sentinelsNameThePrimary(RedisBinary program) {
        try (RedisSentinels redis = RedisSentinels.start(program, 1, 1, "requirepass s3cret")) {
            String uri = redis.uri().replace("redis-sentinel://", "redis-sentinel://s3cret@");
            Workout.on(RedisOptions.at(uri));
            assertThat(redis.primary().command("EXISTS", key("default"))).isEqualTo(1L);
        }
    }

    @Test
    void sentinelsThatKnowNoSuchNameSaySo() {
        try (RedisSentinels redis = RedisSentinels.start(0, 1)) {
            String uri = redis.uri().replace("#" + redis.name(), "#somebody");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(uri))
                    .withMessageContaining("somebody");
        }
    }

    private static String key(String namespace) {
        return "leasehold:{" + namespace + "}";
    }

    private static String uri(RedisCluster cluster, String credentials) {
        return cluster.nodes().stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis-cluster://" + credentials, ""));
    }
}
