// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.DifferentialDriver;
import io.leasehold.testkit.DifferentialReport;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A quorum of five servers answers as the table of the rules does, by the servers' own clocks. */
@Execution(ExecutionMode.CONCURRENT)
final class FiveRedisDifferentialTest {

    @Test
    void theQuorumAnswersAsTheTableDoes() {
        try (FiveRedis servers = new FiveRedis()) {
            DifferentialReport report = DifferentialTest.inTurns(8, 8, seed -> run(servers, seed));
            assertThat(report.outcomes()).containsKeys("Granted", "Held", "late Granted");
        }
    }

    /** The seeds of the short form bring a request that waits and is granted. */
    private static DifferentialReport run(FiveRedis servers, long seed) {
        try (StoreUnderTest opened = servers.open(TableOptions.defaults())) {
            return DifferentialDriver.of(2250 + seed)
                    .steps(TestLength.of(8, 30))
                    .unit(Duration.ofSeconds(16))
                    .tolerance(Duration.ofSeconds(2))
                    .patience(Duration.ofSeconds(30))
                    .run(opened);
        }
    }
}
