// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.Fault;
import io.leasehold.testkit.TestLength;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SimulationTest {

    private static final int SEEDS = TestLength.of(100, 2000);

    @Test
    void noTwoClientsBelieveToHoldTheSameAndAllGoesOnAfterwards() {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            Simulation simulation = new Simulation(seed);
            try {
                simulation.run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            simulation.countInto(counts);
        }
        // Each of these must have been put to the test, and often.
        for (Fault fault : Fault.values()) {
            assertThat(counts.get(fault.name())).as("%s in %s", fault, counts).isGreaterThan(SEEDS);
        }
        for (String what : List.of(
                "obtained",
                "lost",
                "written",
                "written late",
                "refused by the guard",
                "rotated",
                "not rotated",
                "paused",
                "LockTimeoutException",
                "OutcomeUnknownException",
                "CancellationException")) {
            assertThat(counts.getOrDefault(what, 0L))
                    .as("%s in %s", what, counts)
                    .isGreaterThan(SEEDS / 10);
        }
    }
}
