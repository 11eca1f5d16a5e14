// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisCluster;
import io.leasehold.testkit.RedisErrorException;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.ThreadLeakCheck;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Clusters whose slots move and whose replicas take over. */
@Isolated("it counts threads")
@ExtendWith(ThreadLeakCheck.class)
final class RedisClusterTest {

    private static Stream<RedisBinary> programs() {
        return Stream.of(RedisBinary.bundled(), RedisBinary.older());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aSlotMovesWithItsKeys(RedisBinary program) {
        try (RedisCluster cluster = RedisCluster.start(program, 0, "requirepass secret")) {
            RedisServer from = cluster.nodeOf("{ns}");
            for (int i = 0; i < 250; i++) {
                from.command("SET", "{ns}" + i, "value " + i);
            }
            RedisServer to = other(cluster, from);
            cluster.move("{ns}", to);
            assertThat(cluster.nodeOf("{ns}")).isSameAs(to);
            assertThat(to.command("GET", "{ns}249")).isEqualTo("value 249");
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> from.command("GET", "{ns}249"))
                    .withMessageStartingWith("MOVED")
                    .withMessageEndingWith(":" + to.port());
        }
    }

    @Test
    void whileASlotMovesAbsentKeysAreAskedForElsewhere() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisServer from = cluster.nodeOf("{ns}");
            RedisServer to = other(cluster, from);
            from.command("SET", "{ns}1", "one");
            cluster.beginMove("{ns}", to);
            assertThat(from.command("GET", "{ns}1")).isEqualTo("one");
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> from.command("GET", "{ns}2"))
                    .withMessageStartingWith("ASK")
                    .withMessageEndingWith(":" + to.port());
            cluster.endMove("{ns}", to);
            assertThat(to.command("GET", "{ns}1")).isEqualTo("one");
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("programs")
    void aReplicaTakesOverFromAPrimaryThatRunsOrDoesNot(RedisBinary program) {
        try (RedisCluster cluster = RedisCluster.start(program, 1)) {
            RedisServer first = cluster.nodeOf("key");
            first.command("SET", "key", "value");
            RedisServer second = cluster.failOver("key");
            assertThat(second).isNotSameAs(first);
            assertThat(second.command("GET", "key")).isEqualTo("value");
            first.awaitReplication(second);
            second.kill();
            assertThat(cluster.failOver("key")).isSameAs(first);
            assertThat(first.command("SET", "key", "other")).isEqualTo("OK");
        }
    }

    @Test
    void clientsFindEveryKeyByTheAddresses() {
        try (RedisCluster cluster = RedisCluster.start()) {
            List<RedisURI> uris = cluster.uris().stream().map(RedisURI::create).toList();
            RedisClusterClient client = RedisClusterClient.create(uris);
            try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
                for (int i = 0; i < 30; i++) {
                    connection.sync().set("key " + i, "value " + i);
                    assertThat(cluster.nodeOf("key " + i).command("GET", "key " + i))
                            .isEqualTo("value " + i);
                }
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
            }
        }
    }

    private static RedisServer other(RedisCluster cluster, RedisServer than) {
        return cluster.nodes().stream().filter(node -> node != than).findFirst().orElseThrow();
    }
}
