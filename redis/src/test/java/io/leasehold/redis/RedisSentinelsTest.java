// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisSentinels;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.ThreadLeakCheck;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/** Servers under Sentinels, which let a replica take over. */
@Isolated("it counts threads")
@ExtendWith(ThreadLeakCheck.class)
final class RedisSentinelsTest {

    @Test
    void aReplicaTakesOverWhenThePrimaryIsKilled() {
        try (RedisSentinels redis = RedisSentinels.start(2, 3, "requirepass secret")) {
            RedisServer old = redis.primary();
            assertThat(old).isSameAs(redis.servers().get(0));
            old.command("SET", "key", "value");
            redis.servers().subList(1, 3).forEach(replica -> replica.awaitReplication(old));
            old.kill();
            RedisServer now = redis.awaitSuccessorOf(old);
            assertThat(now).isNotSameAs(old).isSameAs(redis.primary());
            assertThat(now.command("GET", "key")).isEqualTo("value");
            assertThat(now.command("SET", "key", "other")).isEqualTo("OK");
        }
    }

    @Test
    void aReplicaTakesOverWhenToldTo() {
        try (RedisSentinels redis = RedisSentinels.start(RedisBinary.older(), 1, 1)) {
            RedisServer old = redis.primary();
            old.command("SET", "key", "value");
            redis.servers().get(1).awaitReplication(old);
            RedisServer now = redis.failOver();
            assertThat(now).isSameAs(redis.servers().get(1));
            assertThat(now.command("GET", "key")).isEqualTo("value");
            assertThat(old.isRunning()).isTrue();
        }
    }

    @Test
    void clientsFindThePrimaryByTheAddress() {
        try (RedisSentinels redis = RedisSentinels.start(1, 1)) {
            redis.primary().command("SET", "key", "value");
            RedisClient client = RedisClient.create(RedisURI.create(redis.uri()));
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                assertThat(connection.sync().get("key")).isEqualTo("value");
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
            }
        }
    }

    @Test
    void nothingIsLeftOfThem() {
        RedisSentinels redis = RedisSentinels.start(1, 1);
        redis.close();
        redis.close();
        for (List<RedisServer> servers : List.of(redis.servers(), redis.sentinels())) {
            assertThat(servers).isNotEmpty().noneMatch(RedisServer::isRunning);
        }
    }
}
