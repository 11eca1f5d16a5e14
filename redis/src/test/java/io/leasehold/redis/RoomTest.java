// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What is left at the server of leases that are over. */
@Isolated("it keeps the machine busy")
final class RoomTest {

    private static final int REMEMBERED = 1000;
    private static final int IN_FLIGHT = 2000;
    private static final TableOptions BOUNDS =
            new TableOptions(1_000_000, 100, Duration.ofMinutes(10), REMEMBERED);

    @Test
    void manyLocksLeaveNoMoreThanTheRetryMemory() throws Exception {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                RedisLeaseStore store =
                        RedisLeaseStore.connect(redis.options().withBounds(BOUNDS))) {
            lockEach(store, TestLength.of(30_000, 1_000_000), Duration.ofMinutes(1), true);
            assertOnlyTheRetryMemoryIsLeft(redis);
        }
    }

    @Test
    void leasesThatNobodyReleasedLeaveNoMoreEither() throws Exception {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                RedisLeaseStore store =
                        RedisLeaseStore.connect(redis.options().withBounds(BOUNDS))) {
            lockEach(store, 10_000, Duration.ofMillis(100), false);
            RealTime.pass(Duration.ofMillis(200));
            Leases.list(store);
            assertOnlyTheRetryMemoryIsLeft(redis);
        }
    }

    private static void lockEach(RedisLeaseStore store, int count, Duration ttl, boolean release)
            throws InterruptedException {
        Semaphore room = new Semaphore(IN_FLIGHT);
        AtomicLong failed = new AtomicLong();
        Holder holder = new Holder("somebody");
        for (int i = 0; i < count; i++) {
            room.acquire();
            LeaseRequest request = LeaseRequest.of(
                    new LeaseId(1, i), Claim.exclusive(Scope.name("lock-" + i)), holder, ttl);
            use(store, request, release).whenComplete((done, error) -> {
                if (error != null) {
                    failed.incrementAndGet();
                }
                room.release();
            });
        }
        room.acquire(IN_FLIGHT);
        assertThat(failed).hasValue(0);
    }

    private static CompletionStage<?> use(
            RedisLeaseStore store, LeaseRequest request, boolean release) {
        CompletionStage<Acquisition.Granted> granted =
                store.acquire(request).thenApply(Acquisition.Granted.class::cast);
        return release ? granted.thenCompose(answer -> store.release(answer.grant())) : granted;
    }

    private static void assertOnlyTheRetryMemoryIsLeft(RealRedis redis) {
        Map<String, Long> sizes = new LinkedHashMap<>();
        List<?> keys = Objects.requireNonNull((List<?>) redis.server().command("KEYS", "*"));
        assertThat(keys).hasSizeLessThanOrEqualTo(10);
        for (Object key : keys) {
            sizes.put(key.toString(), size(redis.server(), key.toString()));
        }
        System.out.println(sizes);
        sizes.forEach((key, size) -> {
            boolean remembers = key.endsWith("}") || key.endsWith(":ended");
            // beside what every key keeps, one client
            assertThat(size).as(key).isLessThanOrEqualTo(remembers ? REMEMBERED + 1 : 2);
        });
    }

    private static long size(RedisServer server, String key) {
        String type = String.valueOf(server.command("TYPE", key));
        return switch (type) {
            case "hash" -> number(server.command("HLEN", key));
            case "zset" -> number(server.command("ZCARD", key));
            case "list" -> number(server.command("LLEN", key));
            case "string" -> 1;
            default -> throw new AssertionError(key + " is a " + type);
        };
    }

    private static long number(@Nullable Object reply) {
        return Long.parseLong(String.valueOf(reply));
    }
}
