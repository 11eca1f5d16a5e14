// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What is remembered of leases that are over, and for how long. */
@Execution(ExecutionMode.CONCURRENT)
final class ForgettingTest {

    private static final Duration TTL = Duration.ofMinutes(1);
    private static final Duration BRIEF = Duration.ofMillis(100);

    @Test
    void whatIsOldIsForgottenAndWhatIsNotIsKept() {
        Duration window = Duration.ofSeconds(10);
        TableOptions bounds = new TableOptions(1000, 10, window, 1000);
        try (RealRedis redis = new RealRedis(RedisServer.start());
                VirtualRedis virtual =
                        new VirtualRedis(redis.server(), redis.options().withBounds(bounds))) {
            LeaseStore store = virtual.store();
            Grant old = released(store, "old");
            virtual.pass(window);
            Grant young = released(store, "young");
            Leases.grant(store, "runs out", BRIEF);
            virtual.pass(BRIEF);
            // does what is overdue, and forgets what is old
            assertThat(Leases.list(store)).isEmpty();
            assertThat(RealTime.answer(store.release(young))).isInstanceOf(Ending.Ended.class);
            assertThat(RealTime.answer(store.release(old))).isNotInstanceOf(Ending.Ended.class);
        }
    }

    @Test
    void aBoundThatIsLoweredByFarIsReachedWithoutHarm() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore generous = RedisLeaseStore.connect(options)) {
                for (int i = 0; i < 12_000; i++) {
                    String name = "name-" + i;
                    CompletionStage<Ending> ending = generous.acquire(Leases.request(name, TTL))
                            .thenCompose(answer ->
                                    generous.release(((Acquisition.Granted) answer).grant()));
                    if (i % 1000 == 999) {
                        RealTime.answer(ending);
                    }
                }
            }
            TableOptions less = new TableOptions(1000, 10, Duration.ofMinutes(10), 100);
            try (RedisLeaseStore frugal = RedisLeaseStore.connect(options.withBounds(less))) {
                for (int i = 0; i < 50; i++) {
                    released(frugal, "name");
                }
                Object left = redis.server()
                        .command("LLEN", "leasehold:{" + options.namespace() + "}:ended");
                assertThat(Long.parseLong(String.valueOf(left))).isBetween(1L, 101L);
            }
        }
    }

    private static Grant released(LeaseStore store, String name) {
        Grant grant = Leases.grant(store, name, TTL);
        assertThat(RealTime.answer(store.release(grant))).isInstanceOf(Ending.Ended.class);
        return grant;
    }
}
