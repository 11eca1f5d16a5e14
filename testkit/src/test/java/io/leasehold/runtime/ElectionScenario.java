// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Term;
import io.leasehold.model.FencingToken;
import io.leasehold.spi.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Eight candidates, who resign, fail and lose their terms. Whoever takes itself for the leader is
 * the one that the store has, so no two do at once; terms begin in the order of their numbers.
 */
final class ElectionScenario {

    private static final int STEPS = 1_500;

    private final Cluster cluster;
    private final List<Election> candidates = new ArrayList<>();
    private final List<FencingToken> observed = new ArrayList<>();

    ElectionScenario(Cluster cluster) {
        this.cluster = cluster;
        ElectionOptions options = ElectionOptions.defaults().withTtl(Cluster.TTL);
        for (Node node : cluster.nodes) {
            Term[] last = new Term[1];
            candidates.add(node.leasehold.election("billing", options, term -> {
                if (last[0] != null && !last[0].token().isOlderThan(term.token())) {
                    cluster.violations.add(term + " began after " + last[0]);
                }
                last[0] = term;
                cluster.count("term");
            }));
        }
        candidates
                .get(0)
                .observe(leader -> leader.ifPresent(known -> {
                    if (!observed.isEmpty()
                            && known.token().isOlderThan(observed.get(observed.size() - 1))) {
                        cluster.violations.add("told of " + known + " after " + observed);
                    }
                    observed.add(known.token());
                    cluster.count("observed");
                }));
    }

    void run() {
        for (int i = 0; i < STEPS; i++) {
            if (cluster.random.nextInt(20) == 0) {
                int who = cluster.random.nextInt(candidates.size());
                if (candidates.get(who).term().isPresent()) {
                    // without waiting for the store: nobody would move the clock
                    Node.closeWithoutWaiting(() -> candidates.get(who).resign());
                    cluster.count("resigned");
                }
            }
            cluster.step();
            checkBeliefs();
        }
        cluster.heal(Duration.ofSeconds(20));
        long terms = cluster.counted("term");
        cluster.heal(Duration.ofSeconds(20));
        assertThat(cluster.counted("term")).as("terms go on").isGreaterThan(terms);
        candidates.forEach(candidate -> Node.closeWithoutWaiting(candidate));
        cluster.heal(Duration.ofSeconds(10));
        assertThat(cluster.world.leases()).isEmpty();
        cluster.close();
    }

    private void checkBeliefs() {
        List<FencingToken> held = cluster.world.leases().stream()
                .map(LeaseView::holding)
                .map(holding -> holding.token())
                .toList();
        for (Election candidate : candidates) {
            candidate.term().ifPresent(term -> {
                cluster.count("valid");
                if (!held.contains(term.token())) {
                    cluster.violations.add(term + " is believed in, the store has " + held);
                }
            });
        }
    }
}
