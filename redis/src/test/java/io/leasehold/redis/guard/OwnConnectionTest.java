// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.ThreadLeakCheck;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Guards on what the application has already: its codec, its cluster, its other client. */
@Isolated("it counts threads")
final class OwnConnectionTest {

    private static final FencingToken ONE = new FencingToken(1);
    private static final FencingToken TWO = new FencingToken(2);

    @Test
    void aConnectionWithAnyCodecServesAndStaysOpen() {
        RedisClient client = RedisClient.create();
        try (RedisServer server = RedisServer.start();
                StatefulRedisConnection<String, String> own = client.connect(
                        CompressionCodec.valueCompressor(
                                StringCodec.UTF8, CompressionCodec.CompressionType.GZIP),
                        RedisURI.create(server.uri()))) {
            try (RedisGuard redis = RedisGuard.on(own)) {
                redis.key("orders:42").set(TWO, "as it is");
                assertStale(redis.key("orders:42"));
            }
            assertThat(server.command("GET", "orders:42")).isEqualTo("as it is");
            assertThat(own.isOpen()).isTrue();
        } finally {
            client.shutdown();
        }
    }

    @Test
    void aClusterTakesEachResourceToItsNode() {
        RedisClusterClient client = null;
        try (RedisServer server = RedisServer.start("cluster-enabled yes")) {
            server.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
            while (!String.valueOf(server.command("CLUSTER", "INFO"))
                    .contains("cluster_state:ok")) {
                Thread.onSpinWait();
            }
            client = RedisClusterClient.create(server.uri());
            try (StatefulRedisClusterConnection<String, String> own = client.connect()) {
                RedisGuard redis = RedisGuard.on(own);
                for (int i = 0; i < 50; i++) {
                    FencedKey order = redis.key("orders:" + i);
                    order.set(TWO, "paid");
                    assertStale(order);
                }
                redis.keys("cart")
                        .write(
                                ONE,
                                writes -> writes.set("{cart}:a", "1")
                                        .hset("{cart}:b", Map.of("c", "d")));
                assertThat(redis.keys("cart").mark()).contains(ONE);
                assertThat(redis.warnings()).hasSize(1);
            }
            try (RedisGuard single = RedisGuard.connect(server.uri())) {
                single.key("orders:7").set(TWO, "one node has all slots");
            }
        } finally {
            if (client != null) {
                client.shutdown();
            }
        }
    }

    @Test
    void anotherClientIsOneFunction() {
        RedisClient client = RedisClient.create();
        try (RedisServer server = RedisServer.start();
                StatefulRedisConnection<byte[], byte[]> other =
                        client.connect(ByteArrayCodec.INSTANCE, RedisURI.create(server.uri()))) {
            RedisCommands<byte[], byte[]> commands = other.sync();
            AtomicInteger calls = new AtomicInteger();
            ScriptRunner runner = (script, keys, arguments) -> {
                calls.incrementAndGet();
                assertThat(commands.digest(script.source())).isEqualTo(script.sha1());
                List<Object> reply = commands.eval(
                        script.source(),
                        ScriptOutputType.MULTI,
                        keys.toArray(new byte[0][]),
                        arguments.toArray(new byte[0][]));
                return reply;
            };
            FencedKey order = RedisGuard.with(runner).key("orders:42");

            assertThat(order.increment(TWO, 5)).isEqualTo(5);
            assertStale(order);
            assertThat(order.mark()).contains(TWO);
            assertThat(order.run(TWO, "return {KEYS[1], 7}")).hasToString("[orders:42, 7]");
            assertThat(calls).hasValue(4);
        } finally {
            client.shutdown();
        }
    }

    @Test
    void aClosedGuardLeavesNoThreadAndTakesNothing() {
        try (RedisServer server = RedisServer.start();
                ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch()) {
            RedisGuard redis = RedisGuard.connect(server.uri());
            FencedKey order = redis.key("orders:42");
            order.set(ONE, "one");
            redis.close();
            redis.close();
            assertThatIllegalStateException()
                    .isThrownBy(() -> order.set(TWO, "two"))
                    .withMessage("the guard is closed");
            assertThat(watch).isNotNull();
        }
    }

    private static void assertStale(FencedKey key) {
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> key.set(ONE, "late"));
    }
}
