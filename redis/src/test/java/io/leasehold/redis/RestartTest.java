// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that is killed under load again and again, and what it remembers afterwards. */
@Execution(ExecutionMode.CONCURRENT)
final class RestartTest {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final int KILLS = TestLength.of(2, 7);

    @Test
    void whatWasGrantedIsThereAfterwardsIfEveryWriteIsForced() {
        try (RealRedis redis =
                new RealRedis(RedisServer.start("appendonly yes", "appendfsync always"))) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    Fleet fleet = Fleet.of(3, options, TTL, new Random().nextLong())) {
                for (int i = 0; i < KILLS; i++) {
                    fleet.awaitProgress(50);
                    Grant kept = grant(store, "kept-" + i);
                    redis.server().kill();
                    redis.server().restart();
                    fleet.awaitProgress(20);
                    assertThat(RealTime.eventually(() -> Leases.renews(store, kept)))
                            .isTrue();
                    Grant later = Leases.grant(store, "later-" + i, TTL);
                    assertThat(later.token()).isGreaterThan(kept.token());
                    assertThat(RealTime.answer(store.release(kept)))
                            .isInstanceOf(Ending.Ended.class);
                }
                fleet.stopAndCheck();
            }
        }
    }

    private static Grant grant(RedisLeaseStore store, String name) {
        return RealTime.eventually(() -> Leases.grant(store, name, Duration.ofMinutes(10)));
    }

    @Test
    void tokensGoOnThoughTheLastWritesWereNotForced() {
        tokensGoOn("appendonly yes", "appendfsync everysec");
    }

    /** Here two holders overlap: whoever has a lease believes in it until it can't be renewed. */
    @Test
    void tokensGoOnThoughEverythingIsForgotten() {
        tokensGoOn("appendonly no");
    }

    private static void tokensGoOn(String... settings) {
        try (RealRedis redis = new RealRedis(RedisServer.start(settings))) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    Fleet fleet = Fleet.of(3, options, TTL, new Random().nextLong())) {
                FencingToken last = FencingToken.FIRST;
                for (int i = 0; i < KILLS; i++) {
                    fleet.awaitProgress(50);
                    Grant kept = grant(store, "kept-" + i);
                    assertThat(kept.token()).isGreaterThan(last);
                    last = kept.token();
                    redis.server().kill();
                    redis.server().restart();
                    fleet.awaitProgress(20);
                }
                fleet.stopAndCheck();
            }
        }
    }
}
