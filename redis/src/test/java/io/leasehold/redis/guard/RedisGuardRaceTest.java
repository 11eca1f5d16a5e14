// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TestLength;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many holders at once, on connections of their own: what the server took, in its own order. */
final class RedisGuardRaceTest {

    private static final int THREADS = 8;
    private static final int WRITES = TestLength.of(1_500, 15_000);
    private static final String KEY = "{race}:accepted";
    private static final String APPEND = "return redis.call('RPUSH', KEYS[1], ARGV[1])";

    private final AtomicLong newest = new AtomicLong(1);
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong accepted = new AtomicLong();

    /**
     * Each token that is admitted is appended to a list by the same script. The list is then what
     * happened, in the order in which it happened.
     */
    @Test
    @Timeout(value = 300, unit = TimeUnit.SECONDS)
    void theTokensThatAreAcceptedNeverDecrease() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (RedisServer server = RedisServer.start()) {
            CompletableFuture<?>[] writers = new CompletableFuture<?>[THREADS];
            for (int t = 0; t < THREADS; t++) {
                SplittableRandom random = new SplittableRandom(t);
                writers[t] = CompletableFuture.runAsync(() -> write(server.uri(), random), threads);
            }
            CompletableFuture.allOf(writers).join();

            List<?> tokens = (List<?>) server.command("LRANGE", KEY, "0", "-1");
            assertThat(tokens).hasSize(Math.toIntExact(accepted.get()));
            long before = 0;
            for (Object text : List.copyOf(tokens)) {
                long token = Long.parseLong(text.toString());
                assertThat(token).isGreaterThanOrEqualTo(before);
                before = token;
            }
            assertThat(server.command("GET", "{race}:fence")).isEqualTo(Long.toString(before));
            assertThat(accepted.get() + refused.get()).isEqualTo((long) THREADS * WRITES);
            assertThat(refused).as("refused").hasValueGreaterThan(THREADS * WRITES / 10L);
            assertThat(accepted).as("accepted").hasValueGreaterThan(THREADS * WRITES / 10L);
        } finally {
            threads.shutdownNow();
        }
    }

    /** A token that was stale when the write began must be refused. */
    private void write(String uri, SplittableRandom random) {
        try (RedisGuard redis = RedisGuard.connect(uri)) {
            FencedKeys race = redis.keys("race");
            for (int i = 0; i < WRITES; i++) {
                long token = random.nextInt(3) == 0
                        ? 1 + random.nextLong(newest.get())
                        : newest.addAndGet(random.nextInt(3) == 0 ? 1 : 0);
                long mark = i % 100 == 0 ? race.mark().map(FencingToken::value).orElse(0L) : 0;
                try {
                    race.run(
                            new FencingToken(token),
                            APPEND,
                            List.of(KEY),
                            List.of(Long.toString(token)));
                    assertThat(token).isGreaterThanOrEqualTo(mark);
                    accepted.incrementAndGet();
                } catch (StaleTokenException e) {
                    assertThat(e.mark()).isGreaterThan(e.token());
                    refused.incrementAndGet();
                }
            }
        }
    }
}
