// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Events and answers to waiters come over one connection: the former must not keep back the latter. */
final class SlowListenerTest {

    private static final Duration TTL = Duration.ofMinutes(10);

    @Test
    void aListenerThatDoesNotReturnKeepsNoWaiterFromItsTurn() throws Exception {
        CompletableFuture<Boolean> told = new CompletableFuture<>();
        CompletableFuture<Boolean> mayReturn = new CompletableFuture<>();
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            try (LeaseStore holder = RedisLeaseStore.connect(options);
                    LeaseStore waiter = RedisLeaseStore.connect(options);
                    AutoCloseable end = () -> mayReturn.complete(true)) {
                waiter.subscribe(event -> {
                    told.complete(true);
                    boolean unused = mayReturn.join();
                });
                Grant first = Leases.granted(holder.acquire(Leases.request("a", TTL)));
                assertThat(RealTime.answer(told)).isTrue();
                CompletionStage<Acquisition> next =
                        waiter.acquire(Leases.request("a", TTL).waitingAtMost(TTL));
                RealTime.answer(holder.release(first));

                Leases.granted(next);
            }
        }
    }
}
