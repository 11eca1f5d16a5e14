// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.DifferentialDriver;
import io.leasehold.testkit.DifferentialReport;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The script answers as the table of the rules does, by the server's own clock. */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
final class OwnClockDifferentialTest {

    @Test
    void theScriptAnswersAsTheTableDoes() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            DifferentialReport report = DifferentialTest.inTurns(16, 16, seed -> run(redis, seed));
            assertThat(report.outcomes()).containsKeys("Granted", "Held", "late Granted");
        }
    }

    private static DifferentialReport run(RealRedis redis, long seed) {
        try (StoreUnderTest opened = redis.open(TableOptions.defaults())) {
            return DifferentialDriver.of(1000 + seed)
                    .steps(30)
                    .unit(Duration.ofSeconds(16))
                    .tolerance(Duration.ofSeconds(2))
                    .patience(Duration.ofSeconds(30))
                    .run(opened);
        }
    }
}
