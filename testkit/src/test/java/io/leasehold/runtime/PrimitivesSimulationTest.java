// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.Fault;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The primitives in eight processes over networks, clocks and schedulers that fail, by seed. */
final class PrimitivesSimulationTest {

    private static final int SEEDS = 50;

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
            assertThat(counts.get(fault.name())).as("%s in %s", fault, counts).isGreaterThan(1000);
        }
        assertOften(counts, 100, "cut off", "paused");
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
    void ofAHundredThousandIdempotentCallsEveryKeyHasOneAnswerAndNobodyHangs() {
        Map<String, Long> counts = run(cluster -> new IdempotencyScenario(cluster).run());

        assertThat(counts.get("calls")).isGreaterThanOrEqualTo(100_000);
        for (String what : List.of("ran", "replayed", "conflict", "failed", "in progress")) {
            assertOften(counts, 1000, what);
        }
        assertOften(counts, 100, "store: EXPIRED");
        assertOften(counts, 20, "winner's answer", "lost", "not shared", "remembered");
    }

    @Test
    void ofAHundredThousandSingleFlightsAllOfAGenerationSeeTheSameAndNobodyHangs() {
        Map<String, Long> counts = run(cluster -> new FlightScenario(cluster).run());

        assertThat(counts.get("calls")).isGreaterThanOrEqualTo(100_000);
        assertOften(counts, 1000, "own", "shared", "failed");
        assertOften(counts, 100, "store: EXPIRED", "left");
        assertOften(counts, 10, "begun late");
    }

    @Test
    void termsNeverOverlapInStoreTimeAndOnlyTheHolderInTheStoreTakesItselfForTheLeader() {
        Map<String, Long> counts = run(cluster -> new ElectionScenario(cluster).run());

        assertOften(counts, 1000, "term", "valid");
        assertOften(counts, 100, "store: EXPIRED", "resigned", "observed");
    }
}
