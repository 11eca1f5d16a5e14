// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.DifferentialDriver;
import io.leasehold.testkit.DifferentialReport;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The script answers as the table of the rules does, by a clock of the test. */
@Isolated("it keeps the machine busy")
final class DifferentialTest {

    private static final int RUNS = TestLength.of(3, 50);
    private static final int STEPS = 4_100;

    private static RealRedis redis;

    @BeforeAll
    static void start() {
        redis = new RealRedis(RedisServer.start());
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void theScriptAnswersAsTheTableDoesToTheMicrosecond() {
        DifferentialReport report = inTurns(
                2, RUNS, seed -> run(seed, new VirtualRedis(redis.server(), redis.options())));
        assertThat(report.missing()).isEmpty();
    }

    @Test
    void theScriptAnswersTheSameIfItHandsOverInManyCalls() {
        DifferentialReport report = inTurns(
                2,
                Math.max(2, RUNS / 25),
                seed -> run(seed, VirtualRedis.inManyCalls(redis.server(), redis.options())));
        assertThat(report.missing()).isEmpty();
    }

    private static DifferentialReport run(long seed, StoreUnderTest store) {
        try (StoreUnderTest opened = store) {
            return DifferentialDriver.of(seed)
                    .steps(STEPS)
                    .tick(Duration.ofNanos(1000))
                    .patience(Duration.ofSeconds(30))
                    .run(opened);
        }
    }

    static DifferentialReport inTurns(int threads, int runs, LongFunction<DifferentialReport> run) {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<CompletableFuture<DifferentialReport>> all = new ArrayList<>();
            for (int i = 1; i <= runs; i++) {
                long seed = i;
                all.add(CompletableFuture.supplyAsync(() -> run.apply(seed), executor));
            }
            return all.stream()
                    .map(CompletableFuture::join)
                    .reduce(new DifferentialReport(Map.of(), 0, 0), DifferentialReport::plus);
        } finally {
            executor.shutdownNow();
        }
    }
}
