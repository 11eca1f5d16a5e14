// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Several clients on three and five nodes, with messages lost, late, doubled and overtaking each
 * other, with nodes that go down and forget, with clients that die, and with clocks that drift. The
 * same simulation, run on the engine without one of its safeguards, must find what that is for.
 */
@Isolated("it keeps the machine busy")
final class QuorumSimulationTest {

    private static final int OPERATIONS = TestLength.of(25_000, 1_000_000);
    private static final Duration SPAN = Duration.ofMinutes(5);

    private static final Logger LOG = Logger.getLogger(Member.class.getName());

    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void speakAgain() {
        LOG.setLevel(null);
    }

    /** What several runs have in common. */
    private static final class Sum {
        private final Map<String, Integer> counts = new TreeMap<>();
        private final List<String> violations = new ArrayList<>();
        private long operations;
        private long seed;

        void add(History history) {
            history.counts().forEach((what, count) -> counts.merge(what, count, Integer::sum));
            history.violations().forEach(found -> violations.add("seed " + seed + ": " + found));
            operations += history.operations();
        }

        int count(String what) {
            return counts.getOrDefault(what, 0);
        }
    }

    @Test
    void tokensAreOrderedAndHoldersAloneWhateverHappensWithinTheBounds() {
        Sum sum = new Sum();
        while (sum.operations < OPERATIONS && sum.violations.isEmpty()) {
            Cluster cluster = cluster(++sum.seed, Weather.rough(), Safeguards.ALL);
            cluster.run(SPAN);
            int before = cluster.history().count("Granted");
            Map<String, Integer> early = new TreeMap<>(cluster.history().counts());
            cluster.heal();
            sum.add(cluster.history());
            assertThat(cluster.history().count("Granted"))
                    .as("grants after all was healed, seed " + sum.seed + early + " then "
                            + cluster.history().counts())
                    .isGreaterThan(before + 10);
            assertThat(cluster.clients())
                    .as("clients still waiting for an answer, seed " + sum.seed)
                    .allMatch(SimulatedClient::isIdle);
        }
        assertThat(sum.violations).isEmpty();
        assertThat(sum.operations).isGreaterThanOrEqualTo(OPERATIONS);
        for (String seen : List.of(
                "Granted", "Held", "crash", "client died", "lost", "abandoned", "no answer")) {
            assertThat(sum.count(seen)).as(seen).isGreaterThan(TestLength.of(10, 100));
        }
    }

    @Test
    void beyondTheBoundOfClocksTheGuardStillHolds() {
        Sum sum = new Sum();
        while (sum.operations < TestLength.of(10_000, 100_000)) {
            Cluster cluster = cluster(++sum.seed, Weather.wildClocks(), Safeguards.ALL);
            sum.add(cluster.run(SPAN));
        }
        assertThat(sum.count("violation of exclusion")).isPositive();
        assertThat(sum.count("violation of order")).isZero();
        assertThat(sum.count("violation of fencing")).isZero();
        assertThat(sum.count("write rejected")).isPositive();
    }

    @Test
    void withoutWriteBackTokensAreFoundInDisorder() {
        Safeguards safeguards = new Safeguards(false, true);
        assertThat(found("violation of order", Weather.rough(), safeguards, 50)).isTrue();
    }

    @Test
    void withoutQuarantineTwoHoldersAreFound() {
        Safeguards safeguards = new Safeguards(true, false);
        assertThat(found("violation of exclusion", Weather.forgetful(), safeguards, 50))
                .isTrue();
    }

    @Test
    void withQuarantineNodesMayForgetAsOftenAsTheyLike() {
        assertThat(found(
                        "violation of exclusion",
                        Weather.forgetful(),
                        Safeguards.ALL,
                        TestLength.of(2, 10)))
                .isFalse();
    }

    private static boolean found(
            String violation, Weather weather, Safeguards safeguards, int runs) {
        for (long seed = 1; seed <= runs; seed++) {
            Cluster cluster = cluster(seed, weather, safeguards);
            if (cluster.run(SPAN).count(violation) > 0) {
                return true;
            }
        }
        return false;
    }

    private static Cluster cluster(long seed, Weather weather, Safeguards safeguards) {
        return new Cluster(seed, seed % 2 == 0 ? 5 : 3, 4, weather, safeguards);
    }
}
