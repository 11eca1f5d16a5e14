// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Someone has put a value of another type under a key of the namespace. */
@Execution(ExecutionMode.CONCURRENT)
final class WrongTypeTest {

    private static final Duration TTL = Duration.ofSeconds(20);
    private static final List<String> KEYS =
            List.of("", ":ends", ":ended", ":index", ":records", ":waiters", ":clients");

    private static Stream<Arguments> keysOfTwoVersions() {
        return KEYS.stream()
                .flatMap(key -> Stream.of(
                        Arguments.of(key, RedisBinary.bundled()),
                        Arguments.of(key, RedisBinary.older())));
    }

    /** Puts the key out of the way and something else in its place, and takes that back again. */
    private static final class Intruder {
        private final RedisServer server;
        private final String key;

        Intruder(RedisServer server, String key) {
            this.server = server;
            this.key = key;
        }

        void come() {
            if (Long.valueOf(1).equals(server.command("EXISTS", key))) {
                server.command("RENAME", key, "aside");
            }
            server.command("SADD", key, "something else");
        }

        void go() {
            server.command("DEL", key);
            if (Long.valueOf(1).equals(server.command("EXISTS", "aside"))) {
                server.command("RENAME", "aside", key);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("keysOfTwoVersions")
    void itIsNamedAndNothingIsHalfDone(String key, RedisBinary program) {
        try (RealRedis redis = new RealRedis(RedisServer.start(program))) {
            RedisOptions options = redis.options();
            Intruder intruder =
                    new Intruder(redis.server(), "leasehold:{" + options.namespace() + "}" + key);
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    RedisLeaseStore other = RedisLeaseStore.connect(options)) {
                Grant released = Leases.grant(store, "released", TTL);
                Grant completed = Leases.grant(store, "completed", TTL);
                Grant renewed = Leases.grant(store, "renewed", TTL);
                CompletionStage<Acquisition> waiting = other.acquire(
                        Leases.request("released", TTL).waitingAtMost(Leases.PATIENCE));
                Leases.list(other);
                LeaseRecord record = LeaseRecord.of("done");
                intruder.come();
                LeaseRequest late = Leases.request("late", TTL);
                // these may not need the key
                boolean granted = succeeds(store.acquire(late));
                boolean ended = succeeds(store.release(released));
                assertThat(succeeds(store.complete(completed, record, TTL))).isFalse();
                intruder.go();
                assertThat(Leases.renews(store, renewed)).isTrue();
                assertThat(Leases.renews(store, released)).isNotEqualTo(ended);
                assertThat(Leases.renews(store, completed)).isTrue();
                assertThat(Leases.list(store)).hasSize(granted ? 4 : 3);
                assertThat(RealTime.answer(store.complete(completed, record, Duration.ZERO)))
                        .isInstanceOf(Ending.Ended.class);
                assertThat(RealTime.answer(store.release(released)))
                        .isInstanceOf(Ending.Ended.class);
                Grant handedOver = Leases.granted(waiting);
                Grant grantedLate = Leases.granted(store.acquire(late));
                for (Grant grant : List.of(renewed, handedOver, grantedLate)) {
                    assertThat(RealTime.answer(store.release(grant)))
                            .isInstanceOf(Ending.Ended.class);
                }
                assertThat(Leases.list(store)).isEmpty();
            }
        }
    }

    /** Whether it does; if not, it says which keys to look at. */
    private static boolean succeeds(CompletionStage<?> stage) {
        try {
            RealTime.answer(stage);
            return true;
        } catch (StoreUnavailableException e) {
            assertThat(e)
                    .hasMessageContaining("WRONGTYPE")
                    .hasMessageContaining("leasehold:{namespace}");
            return false;
        }
    }
}
