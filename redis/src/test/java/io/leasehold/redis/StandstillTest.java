// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.model.Scope;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that stands still for longer than leases last, and then goes on. */
@Execution(ExecutionMode.CONCURRENT)
final class StandstillTest {

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(TTL);

    @Test
    void holdersKnowThatTheyHaveLostAndOneOfThoseWhoWaitFollows() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options().withPatience(Duration.ofSeconds(2));
            try (Leasehold one = Leasehold.on(RedisLeaseStore.connect(options));
                    Leasehold two = Leasehold.on(RedisLeaseStore.connect(options));
                    RedisLeaseStore onlooker = RedisLeaseStore.connect(options)) {
                AtomicInteger lost = new AtomicInteger();
                List<Lease> held = new ArrayList<>();
                List<CompletableFuture<Lease>> waiting = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    Scope scope = Scope.name("name-" + i);
                    Lease lease = one.lock(OPTIONS, scope).acquire(TTL);
                    lease.onLost(reason -> lost.incrementAndGet());
                    held.add(lease);
                    waiting.add(two.lock(OPTIONS, scope).acquireAsync(Leases.PATIENCE));
                }
                RealTime.until(
                        "all wait",
                        () -> Leases.list(onlooker).stream().allMatch(row -> row.waiters() == 1));
                redis.server().pause();
                // nobody tells them; they know by their own clocks
                RealTime.until("all are lost", () -> lost.get() >= held.size());
                assertThat(held).noneMatch(Lease::isValid);
                RealTime.pass(TTL);
                redis.server().resume();
                for (int i = 0; i < held.size(); i++) {
                    Lease next = RealTime.answer(waiting.get(i));
                    assertThat(next.token()).isGreaterThan(held.get(i).token());
                }
                assertThat(Leases.list(onlooker)).hasSizeLessThanOrEqualTo(held.size());
                assertThat(lost).hasValue(held.size());
            }
        }
    }

    @Test
    void nothingIsGrantedTwiceThoughRequestsPileUp() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options().withPatience(Duration.ofSeconds(2));
            try (Fleet fleet = Fleet.of(3, options, TTL, new Random().nextLong())) {
                for (int i = 0; i < 3; i++) {
                    fleet.awaitProgress(50);
                    redis.server().pause();
                    RealTime.pass(TTL.plusMillis(500));
                    redis.server().resume();
                }
                fleet.awaitProgress(50);
                fleet.stopAndCheck();
            }
        }
    }
}
