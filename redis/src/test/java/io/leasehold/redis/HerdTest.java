// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Many wait for one lease; a hand-over is the business of two. */
@Isolated("it keeps the machine busy")
final class HerdTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int CLIENTS = 8;
    private static final int EACH = 8;
    private static final int HAND_OVERS = 400;

    @Test
    void aHandOverCostsTheSameFewCallsHoweverManyWait() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            List<RedisLeaseStore> clients = new ArrayList<>();
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(RedisLeaseStore.connect(options));
                }
                RedisLeaseStore first = clients.get(0);
                Grant held = Leases.grant(first, "wanted", LONG);
                AtomicInteger left = new AtomicInteger(HAND_OVERS);
                CompletableFuture<Boolean> done = new CompletableFuture<>();
                for (int i = 0; i < CLIENTS * EACH; i++) {
                    goOn(clients.get(i % CLIENTS), left, done);
                }
                RealTime.until(
                        "all wait",
                        () -> Leases.list(first).stream()
                                .anyMatch(row -> row.waiters() == CLIENTS * EACH));
                long before = calls(redis);
                RealTime.answer(first.release(held));
                RealTime.answer(done);
                double each = (double) (calls(redis) - before) / HAND_OVERS;
                System.out.println(each + " calls for a hand-over");
                // its release and the next request; now and then a sign of life
                assertThat(each).isLessThan(4);
            } finally {
                clients.forEach(RedisLeaseStore::close);
            }
        }
    }

    /** Waits, releases what it got, and waits again. */
    private static void goOn(
            RedisLeaseStore client, AtomicInteger left, CompletableFuture<Boolean> done) {
        CompletionStage<Acquisition> answer =
                client.acquire(Leases.request("wanted", LONG).waitingAtMost(LONG));
        answer.whenComplete((acquisition, error) -> {
            if (acquisition instanceof Acquisition.Granted granted) {
                client.release(granted.grant());
                if (left.decrementAndGet() > 0) {
                    goOn(client, left, done);
                } else {
                    done.complete(true);
                }
            } else if (!done.isDone()) {
                done.completeExceptionally(new AssertionError("not granted but " + acquisition));
            }
        });
    }

    private static long calls(RealRedis redis) {
        Map<String, String> statistics = redis.server().info("commandstats");
        String scripts = statistics.getOrDefault("cmdstat_evalsha", "calls=0,");
        return Long.parseLong(scripts.substring("calls=".length(), scripts.indexOf(',')));
    }
}
