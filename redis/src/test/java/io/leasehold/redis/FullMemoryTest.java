// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that has used up its memory lets nobody in and everybody out. */
@Execution(ExecutionMode.CONCURRENT)
final class FullMemoryTest {

    private static final Duration TTL = Duration.ofSeconds(20);

    private static Stream<RedisBinary> twoVersions() {
        return Stream.of(RedisBinary.bundled(), RedisBinary.older());
    }

    private static void fill(RedisServer server) {
        server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        server.command("CONFIG", "SET", "maxmemory", "1");
    }

    @ParameterizedTest
    @MethodSource("twoVersions")
    void nothingNewIsTakenOnAndWhatIsThereGoesOn(RedisBinary program) {
        try (RealRedis redis = new RealRedis(RedisServer.start(program))) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    RedisLeaseStore other = RedisLeaseStore.connect(options)) {
                Grant first = Leases.grant(store, "first", TTL);
                Grant second = Leases.grant(store, "second", TTL);
                CompletionStage<Acquisition> waiting =
                        other.acquire(Leases.request("second", TTL).waitingAtMost(Leases.PATIENCE));
                Leases.list(other);
                fill(redis.server());
                LeaseRequest late = Leases.request("late", TTL);
                refused(store, late);
                refused(store, late.waitingAtMost(TTL));
                refused(other, Leases.request("first", TTL).waitingAtMost(TTL));
                assertThat(Leases.renews(store, first)).isTrue();
                assertThat(RealTime.answer(store.release(second))).isInstanceOf(Ending.Ended.class);
                Grant handedOver = Leases.granted(waiting);
                assertThat(Leases.renews(other, handedOver)).isTrue();
                assertThat(RealTime.answer(other.rotate(handedOver))).isNotNull();
                assertThat(RealTime.answer(store.release(first))).isInstanceOf(Ending.Ended.class);
                assertThat(Leases.list(store)).hasSize(1);
                FencingToken last = Leases.list(store).get(0).holding().token();
                assertThat(RealTime.answer(store.forceRelease(Scope.name("second"), last)))
                        .isInstanceOf(Ending.Ended.class);
                redis.server().command("CONFIG", "SET", "maxmemory", "0");
                Leases.granted(store.acquire(late));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("twoVersions")
    void leasesThatWereRenewedLiveOnPastTheirFirstEnd(RedisBinary program) {
        Duration brief = Duration.ofSeconds(2);
        try (RealRedis redis = new RealRedis(RedisServer.start(program));
                RedisLeaseStore store = RedisLeaseStore.connect(redis.options())) {
            Grant kept = Leases.grant(store, "kept", brief);
            Grant left = Leases.grant(store, "left", brief);
            RealTime.answer(store.renew(RenewalRequest.of(kept, TTL)));
            fill(redis.server());
            RealTime.pass(brief.multipliedBy(2));
            assertThat(Leases.renews(store, kept)).isTrue();
            assertThat(Leases.list(store)).hasSize(1);
            assertThat(Leases.renews(store, left)).isFalse();
            assertThat(RealTime.answer(store.release(kept))).isInstanceOf(Ending.Ended.class);
        }
    }

    private static void refused(RedisLeaseStore store, LeaseRequest request) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> RealTime.answer(store.acquire(request)))
                .withMessageContaining("OOM")
                .withMessageContaining("maxmemory");
    }
}
