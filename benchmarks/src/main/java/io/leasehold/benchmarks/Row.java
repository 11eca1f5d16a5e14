// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.Optional;

/**
 * One line of the report.
 *
 * @param suite where it belongs
 * @param what was measured
 * @param figure what came out
 * @param comparison with what was measured beside it
 * @param goal what was aimed at, for the ratio or, without one, for the figure
 */
record Row(
        Suite suite,
        String what,
        Quantity figure,
        Optional<Comparison> comparison,
        Optional<Goal> goal) {

    /** What was measured beside the figure, and the figure as a multiple of it. */
    record Comparison(String peer, Quantity figure, double ratio) {}

    static Row of(Suite suite, String what, Quantity figure) {
        return new Row(suite, what, figure, Optional.empty(), Optional.empty());
    }

    Row beside(String peer, Quantity other) {
        Comparison added = new Comparison(peer, other, figure.value() / other.value());
        return new Row(suite, what, figure, Optional.of(added), goal);
    }

    Row atLeast(double bound) {
        return with(Goal.atLeast(bound, judged()));
    }

    Row atMost(double bound) {
        return with(Goal.atMost(bound, judged()));
    }

    private Row with(Goal added) {
        return new Row(suite, what, figure, comparison, Optional.of(added));
    }

    private double judged() {
        return comparison.map(Comparison::ratio).orElse(figure.value());
    }
}
