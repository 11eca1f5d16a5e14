// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisErrorException;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors as real servers word them. */
@Execution(ExecutionMode.CONCURRENT)
final class RealFailuresTest {

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aServerThatForgotTheScriptGetsItAgain(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program);
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            for (int i = 0; i < 5; i++) {
                redis.command("SCRIPT", "FLUSH");
                Ask.granted(store, Ask.request("script " + i));
            }
            assertThat(redis.info("memory").get("number_of_cached_scripts")).isEqualTo("1");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aServerThatAScriptBlocksSaysSo(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program, "lua-time-limit 50");
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            CompletableFuture<Void> blocked = CompletableFuture.runAsync(() -> {
                try {
                    redis.command("EVAL", "while true do end", "0");
                } catch (RedisErrorException e) {
                    // it was killed
                }
            });
            LeaseholdException failure = firstFailure(store);
            redis.command("SCRIPT", "KILL");
            blocked.join();
            assertThat(failure)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("BUSY: a script blocks Redis");
            Ask.granted(store, Ask.request("afterwards"));
        }
    }

    private static LeaseholdException firstFailure(RedisLeaseStore store) {
        for (int i = 0; ; i++) {
            try {
                Ask.granted(store, Ask.request("blocked " + i));
            } catch (LeaseholdException e) {
                return e;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aServerWithoutRoomSaysSoAndStillLetsGo(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program);
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            Grant held = Ask.granted(store, Ask.request("held"));
            redis.command("CONFIG", "SET", "maxmemory", "1");
            assertUnavailable(store.acquire(Ask.request("no room")), "OOM: ");
            assertThat(Ask.answer(store.release(held))).isEqualTo(new Ending.Ended());
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aServerThatBecameAReplicaWritesNothing(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program);
                RedisServer primary = RedisServer.start(program);
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            Grant held = Ask.granted(store, Ask.request("held"));
            // with the data it has, so that the lease is found
            primary.replicaOf(redis);
            primary.promote();
            redis.replicaOf(primary);
            assertUnavailable(store.acquire(Ask.request("replica")), "READONLY: ");
            assertUnavailable(store.withdraw(Ask.request("replica")), "READONLY: ");
            assertUnavailable(store.release(held), "READONLY: ");
            assertUnavailable(
                    store.renew(RenewalRequest.of(held, Duration.ofSeconds(30))), "READONLY: ");
            assertUnavailable(store.rotate(held), "READONLY: ");
            assertUnavailable(
                    store.complete(held, LeaseRecord.of("done"), Duration.ofSeconds(30)),
                    "READONLY: ");
            LeaseRequest waiting = Ask.request("held").waitingAtMost(Duration.ofSeconds(5));
            assertUnavailable(store.acquire(waiting), "READONLY: ");
            assertUnavailable(store.list(LeaseQuery.all()), "READONLY: ");
            // the state of the namespace, its store id, a lease and its name
            assertThat(redis.command("HLEN", "leasehold:{default}")).isEqualTo(4L);
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aReplicaIsNotFloodedWithConnections(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program);
                RedisServer primary = RedisServer.start(program);
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            redis.replicaOf(primary);
            long before = connections(redis);
            long since = Time.system().nanos();
            for (int i = 0; i < 1000; i++) {
                assertUnavailable(store.acquire(Ask.request("replica")), "READONLY: ");
            }
            long quarters = (Time.system().nanos() - since) / 250_000_000;
            // two connections for each look
            assertThat(connections(redis) - before).isBetween(2L, 2 * (quarters + 2));
        }
    }

    private static long connections(RedisServer redis) {
        return Long.parseLong(
                String.valueOf(redis.info("stats").get("total_connections_received")));
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aServerWithTooFewReplicasSaysSo(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program);
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
            assertUnavailable(store.acquire(Ask.request("alone")), "NOREPLICAS: ");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aKeyOfAnotherTypeIsNamed(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program);
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            redis.command("SET", "leasehold:{default}:ends", "mine");
            assertUnavailable(store.acquire(Ask.request("a")), "WRONGTYPE: ");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aRightThatIsTakenAwayLaterIsNamed(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program)) {
            redis.command("ACL", "SETUSER", "some", "on", ">s3cret", "~*", "&*", "+@all");
            String uri = "redis://some:s3cret@127.0.0.1:" + redis.port();
            try (RedisLeaseStore store = RedisLeaseStore.connect(uri)) {
                redis.command("ACL", "SETUSER", "some", "-hset");
                assertThatExceptionOfType(OutcomeUnknownException.class)
                        .isThrownBy(() -> Ask.answer(store.acquire(Ask.request("a"))))
                        .withMessageStartingWith("NOPERM: ");
                redis.command("ACL", "SETUSER", "some", "-evalsha");
                assertUnavailable(store.acquire(Ask.request("b")), "NOPERM: ");
            }
        }
    }

    private static void assertUnavailable(CompletionStage<?> stage, String words) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Ask.answer(stage))
                .withMessageStartingWith(words);
    }
}
