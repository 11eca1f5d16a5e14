// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a {@link DifferentialDriver} saw. Immutable.
 *
 * @param outcomes how often each answer came, by its name: {@code Granted}, {@code Refused NOT_HOLDER},
 *     {@code Gone EXPIRED}; with {@code late } in front for the answers to requests that queued
 * @param tokens how many tokens the store gave out
 * @param highestToken the highest of them; the same number where tokens are 1, 2, 3…
 */
public record DifferentialReport(Map<String, Integer> outcomes, int tokens, long highestToken) {

    public DifferentialReport {
        outcomes = Map.copyOf(outcomes);
    }

    /** How often the answer came. */
    public int count(String outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }

    /** What two runs saw together, as far as it adds up: tokens do if each run had a store of its own. */
    public DifferentialReport plus(DifferentialReport other) {
        Map<String, Integer> sum = new TreeMap<>(outcomes);
        other.outcomes.forEach((outcome, count) -> sum.merge(outcome, count, Integer::sum));
        return new DifferentialReport(
                sum, tokens + other.tokens, highestToken + other.highestToken);
    }
}
