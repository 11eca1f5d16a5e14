// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.TestLength;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that repeat each other's requests, while messages are lost, late, doubled and overtake
 * each other. It finds most clauses of the rule for tokens if they are left out of the engine;
 * {@link QuorumRepeatsTest} and the rules of a node find the others.
 */
@Isolated("it keeps the machine busy")
final class QuorumRepeatsSimulationTest {

    private static final int RUNS = TestLength.of(20, 300);
    private static final int GENERATIONS = 25;

    private static final Logger LOG = Logger.getLogger(Member.class.getName());

    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    @AfterAll
    static void speakAgain() {
        LOG.setLevel(null);
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void anIdHasOneTokenAndItIsAtAMajorityUntilItsEnd(int nodes) {
        int grants = 0;
        int repeats = 0;
        int rotations = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            RepeatingClients clients = new RepeatingClients(seed, nodes);
            for (int i = 0; i < GENERATIONS && clients.violations().isEmpty(); i++) {
                clients.generation();
            }
            assertThat(clients.violations()).as("seed " + seed).isEmpty();
            grants += clients.grants();
            repeats += clients.repeats();
            rotations += clients.rotations();
        }
        assertThat(grants).isGreaterThan(RUNS * GENERATIONS / 2);
        assertThat(repeats).isGreaterThan(RUNS);
        assertThat(rotations).isGreaterThan(RUNS / 2);
    }
}
