// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.redis.guard.RedisGuard;
import io.leasehold.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RedisGuardsTest {

    @Test
    void theRedisGuideRefusesTheLateWriter() {
        RedisClient client = RedisClient.create();
        try (RedisServer server = RedisServer.start("appendonly yes");
                RedisGuard redis = RedisGuard.connect(server.uri());
                Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());
                StatefulRedisConnection<String, String> connection =
                        client.connect(RedisURI.create(server.uri()));
                StatefulRedisConnection<byte[], byte[]> other =
                        client.connect(ByteArrayCodec.INSTANCE, RedisURI.create(server.uri()))) {
            RedisGuards guards = new RedisGuards(redis);

            assertThat(guards.pay(leasehold, connection)).isEqualTo("new");
            assertThat(guards.pay(leasehold, connection)).isEqualTo("new, paid");
            assertThat(guards.payLate(FencingToken.FIRST)).isEqualTo("token 1 came after token 2");
            assertThat(guards.payLate(new FencingToken(2))).isEqualTo("written");

            guards.several(FencingToken.FIRST);
            assertThat(server.command("GET", "{ledger/42}:balance")).isEqualTo("-30");

            server.command("SET", "{stock}:books", "3");
            assertThat(guards.take(FencingToken.FIRST, 2, "ada")).isEqualTo(1);
            assertThat(guards.take(FencingToken.FIRST, 2, "eve")).isEqualTo(-1);
            assertThat(server.command("LRANGE", "{stock}:takers", "0", "-1"))
                    .isEqualTo(List.of("ada"));

            guards.onAnotherClient(other.sync()).key("orders:43").set(FencingToken.FIRST, "new");
            assertThat(server.command("GET", "{orders:43}:fence")).isEqualTo("1");
        } finally {
            client.shutdown();
        }
    }
}
