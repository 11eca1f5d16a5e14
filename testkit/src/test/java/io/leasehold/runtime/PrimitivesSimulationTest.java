// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.Fault;
import io.leasehold.testkit.TestLength;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The primitives in eight processes over networks, clocks and schedulers that fail, by seed. */
final class PrimitivesSimulationTest {

    private static final int SEEDS = TestLength.of(4, 50);

    private static Map<String, Long> run(Consumer<Cluster> scenario) {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            Cluster cluster = new Cluster(seed);
            try {
                scenario.accept(cluster);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + " " + cluster.counts, e);
            }
            cluster.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
        }
        for (Fault fault : Fault.values()) {
            assertThat(counts.get(fault.name()))
                    .as("%s in %s", fault, counts)
                    .isGreaterThan(20L * SEEDS);
        }
        assertOften(counts, 2 * SEEDS, "cut off", "paused");
        return counts;
    }

    private static void assertOften(Map<String, Long> counts, int least, String... things) {
        for (String what : things) {
            assertThat(counts.getOrDefault(what, 0L))
                    .as("%s in %s", what, counts)
                    .isGreaterThan(least);
        }
    }

    @Test
    void ofManyIdempotentCallsEveryKeyHasOneAnswerAndNobodyHangs() {
        Map<String, Long> counts = run(cluster -> new IdempotencyScenario(cluster).run());

        assertThat(counts.get("calls")).isGreaterThanOrEqualTo(2_000L * SEEDS);
        for (String what : List.of("ran", "replayed", "conflict", "failed", "in progress")) {
            assertOften(counts, 20 * SEEDS, what);
        }
        assertOften(counts, 2 * SEEDS, "store: EXPIRED");
        assertOften(counts, 2, "winner's answer", "lost", "not shared", "remembered");
    }

    @Test
    void ofManySingleFlightsAllOfAGenerationSeeTheSameAndNobodyHangs() {
        Map<String, Long> counts = run(cluster -> new FlightScenario(cluster).run());

        assertThat(counts.get("calls")).isGreaterThanOrEqualTo(2_000L * SEEDS);
        assertOften(counts, 20 * SEEDS, "own", "shared", "failed");
        assertOften(counts, 2 * SEEDS, "store: EXPIRED", "left");
        assertOften(counts, 1, "done late");
    }

    @Test
    void termsNeverOverlapInStoreTimeAndOnlyTheHolderInTheStoreTakesItselfForTheLeader() {
        Map<String, Long> counts = run(cluster -> new ElectionScenario(cluster).run());

        assertOften(counts, 20 * SEEDS, "term", "valid");
        assertOften(counts, 2 * SEEDS, "store: EXPIRED", "resigned", "observed");
    }
}
