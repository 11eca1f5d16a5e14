// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the caller may conclude when the server fails, refuses or is silent. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class RedisGuardFaultsTest {

    private static final FencingToken ONE = new FencingToken(1);
    private static final FencingToken TWO = new FencingToken(2);

    @Test
    void aServerThatIsNotThereIsUnavailable() {
        String uri;
        try (RedisServer server = RedisServer.start()) {
            uri = server.uri();
        }
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> RedisGuard.connect(uri))
                .withMessageContaining("no connection to redis://127.0.0.1");
    }

    @Test
    void aWrongPasswordIsRefusedForGood() {
        try (RedisServer server = RedisServer.start("requirepass secret")) {
            String uri = "redis://wrong@127.0.0.1:" + server.port();
            for (int i = 0; i < 20; i++) {
                assertThatExceptionOfType(RedisGuardException.class)
                        .isThrownBy(() -> RedisGuard.connect(uri))
                        .withMessageContaining("WRONGPASS")
                        .withMessageNotContaining("wrong@");
            }
            assertThatExceptionOfType(RedisGuardException.class)
                    .isThrownBy(() -> RedisGuard.connect(server.uri()))
                    .withMessageContaining("password into the URI")
                    .satisfies(e -> assertThat(e.code()).isEqualTo("NOAUTH"));
        }
    }

    @Test
    void aKilledServerIsUnavailableAndKnowsItsMarksAgainWhenItIsBack() {
        try (RedisServer server = RedisServer.start("appendonly yes", "appendfsync always");
                RedisGuard redis = RedisGuard.connect(server.uri() + "?timeout=2s")) {
            FencedKey order = redis.key("orders:42");
            order.set(TWO, "two");

            server.kill();
            awaitUnavailable(order);
            server.restart();
            awaitAvailable(order);

            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> order.set(ONE, "late"));
            assertThat(server.command("GET", "orders:42")).isEqualTo("two");
        }
    }

    private static void awaitUnavailable(FencedKey order) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                order.seal(TWO);
            } catch (OutcomeUnknownException e) {
                // The client has not noticed yet that the connection is gone.
            } catch (StoreUnavailableException e) {
                assertThat(e).hasMessageContaining("nothing was sent");
                return;
            }
        }
        throw new AssertionError("interrupted");
    }

    private static void awaitAvailable(FencedKey order) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                assertThat(order.mark()).contains(TWO);
                return;
            } catch (StoreUnavailableException e) {
                Thread.onSpinWait();
            }
        }
        throw new AssertionError("interrupted");
    }

    @Test
    void silenceAfterTheSendIsAnUnknownOutcomeAndTheWriteMayStillCome() {
        try (RedisServer server = RedisServer.start();
                RedisGuard redis = RedisGuard.connect(server.uri() + "?timeout=2s")) {
            FencedKey counter = redis.key("counter");
            counter.increment(ONE, 1);

            server.pause();
            assertThatExceptionOfType(OutcomeUnknownException.class)
                    .isThrownBy(() -> counter.increment(ONE, 1))
                    .withMessageContaining("both as before or both changed");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(counter::mark)
                    .withMessageContaining("can't be read");
            server.resume();

            // It was in the socket: it runs before whatever is sent next.
            assertThat(counter.increment(ONE, 1)).isEqualTo(3);
        }
    }

    @Test
    void aConnectionThatBreaksWhileAWriteIsOnItsWayNeverMakesItTwice() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisGuard redis = RedisGuard.connect(server.uri() + "?timeout=20s")) {
            FencedKey counter = redis.key("counter");
            counter.increment(ONE, 1);
            server.pause();
            Thread killer = new Thread(() -> {
                while (!waits(Thread.currentThread().getThreadGroup())) {
                    Thread.onSpinWait();
                }
                server.kill();
                server.restart();
            });
            killer.setDaemon(true);
            killer.start();

            // Unknown if it had left the client by then, unavailable if not: nearly always the
            // first.
            assertThatThrownBy(() -> counter.increment(ONE, 1))
                    .isInstanceOfAny(
                            OutcomeUnknownException.class, StoreUnavailableException.class);
            killer.join();
            awaitAny(counter);
            // Nothing is persistent here: a repeated send would count from nothing to one.
            assertThat(server.command("GET", "counter")).isNull();
        }
    }

    /** Whether some test thread waits for an answer of Lettuce. */
    private static boolean waits(ThreadGroup group) {
        Thread[] threads = new Thread[group.activeCount() + 16];
        int count = group.enumerate(threads);
        for (int i = 0; i < count; i++) {
            for (StackTraceElement frame : Objects.requireNonNull(threads[i]).getStackTrace()) {
                if (frame.getMethodName().equals("awaitOrCancel")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void awaitAny(FencedKey key) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                assertThat(key.mark()).isEmpty();
                return;
            } catch (StoreUnavailableException e) {
                Thread.onSpinWait();
            }
        }
        throw new AssertionError("interrupted");
    }

    @Test
    void aReplicaIsUnavailableAndTheGuardSaysWhereToGo() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start()) {
            replica.replicaOf(primary);
            try (RedisGuard redis = RedisGuard.connect(replica.uri())) {
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> redis.key("orders:42").set(ONE, "x"))
                        .withMessageContaining("connect to the primary");
            }
        }
    }

    @Test
    void aReplicaThatTakesOverHasTheMarkOfItsData() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.start()) {
            replica.replicaOf(primary);
            try (RedisGuard redis = RedisGuard.connect(primary.uri())) {
                redis.key("orders:42").set(TWO, "two");
            }
            replica.awaitReplication(primary);
            primary.kill();
            replica.promote();
            try (RedisGuard redis = RedisGuard.connect(replica.uri())) {
                assertThat(replica.command("GET", "orders:42")).isEqualTo("two");
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> redis.key("orders:42").set(ONE, "late"));
            }
        }
    }

    @Test
    void aFullServerRefusesMarkAndDataTogether() {
        try (RedisServer server = RedisServer.start();
                RedisGuard redis = RedisGuard.connect(server.uri())) {
            FencedKey order = redis.key("orders:42");
            order.set(ONE, "one");
            server.command("CONFIG", "SET", "maxmemory", "1");

            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> order.set(TWO, "two"))
                    .withMessageContaining("maxmemory");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> order.set(ONE, "two"))
                    .withMessageContaining("maxmemory");
            assertThat(order.mark()).contains(ONE);
            assertThat(server.command("GET", "orders:42")).isEqualTo("one");
        }
    }

    @Test
    void missingRightsAreRefusedForGood() {
        try (RedisServer server =
                        RedisServer.start("user reader on >pw ~* +@read +@connection +@scripting");
                RedisGuard redis =
                        RedisGuard.connect("redis://reader:pw@127.0.0.1:" + server.port())) {
            assertThatExceptionOfType(RedisGuardException.class)
                    .isThrownBy(() -> redis.key("orders:42").set(ONE, "x"))
                    .withMessageContaining("no right to SET");
            assertThatExceptionOfType(RedisGuardException.class)
                    .isThrownBy(() -> redis.key("orders:42").seal(ONE))
                    .withMessageContaining("Redis refused");
            assertThat(server.command("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void rightsThatAreMissingForOneWriteOfAChangeStopAllOfThem() {
        try (RedisServer server = RedisServer.start("user setter on >pw ~* +@all -hset");
                RedisGuard redis =
                        RedisGuard.connect("redis://setter:pw@127.0.0.1:" + server.port())) {
            FencedKeys keys = redis.keys("orders:42");
            assertThatExceptionOfType(RedisGuardException.class)
                    .isThrownBy(() -> keys.write(
                            ONE,
                            writes -> writes.set("orders:42", "set")
                                    .hset("{orders:42}:b", Map.of("c", "d"))))
                    .withMessageContaining("no right to HSET");
            assertThat(server.command("GET", "orders:42")).isNull();
        }
    }

    @Test
    void whatCouldMakeTheServerForgetIsWarnedOf() {
        try (RedisServer server = RedisServer.start("maxmemory-policy allkeys-lru");
                RedisGuard redis = RedisGuard.connect(server.uri())) {
            assertThat(redis.warnings()).hasSize(2);
            assertThat(redis.warnings().get(0)).contains("allkeys-lru").contains("noeviction");
            assertThat(redis.warnings().get(1)).contains("appendonly");

            server.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
            server.command("CONFIG", "SET", "appendonly", "yes");
            assertThat(redis.warnings()).isEmpty();
        }
    }

    @Test
    void aConnectionInATransactionIsRefused() {
        RedisClient client = RedisClient.create();
        try (RedisServer server = RedisServer.start();
                StatefulRedisConnection<String, String> own =
                        client.connect(RedisURI.create(server.uri()))) {
            FencedKey order = RedisGuard.on(own).key("orders:42");
            own.sync().multi();
            assertThatIllegalStateException()
                    .isThrownBy(() -> order.set(ONE, "x"))
                    .withMessageContaining("MULTI");
            own.sync().discard();
            order.set(ONE, "x");
            own.close();
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> order.set(ONE, "y"));
        } finally {
            client.shutdown();
        }
    }
}
