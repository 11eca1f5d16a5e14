// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.DifferentialDriver;
import io.leasehold.testkit.DifferentialReport;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.TestLength;
import java.util.Map;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A quorum of healthy nodes answers as one table of the rules does. */
@Isolated("it keeps the machine busy")
final class QuorumDifferentialTest {

    private static final int RUNS = TestLength.of(4, 50);
    private static final int STEPS = 2_100;

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void healthyNodesAnswerAsTheTableDoes(int nodes) {
        DifferentialReport report = new DifferentialReport(Map.of(), 0, 0);
        for (long seed = 1; seed <= RUNS; seed++) {
            try (StoreUnderTest opened = MemoryQuorum.open(nodes, TableOptions.defaults())) {
                report = report.plus(DifferentialDriver.of(seed).steps(STEPS).run(opened));
            }
        }
        assertThat(report.missing()).isEmpty();
    }
}
