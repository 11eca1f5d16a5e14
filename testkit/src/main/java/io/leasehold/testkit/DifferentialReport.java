// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a {@link DifferentialDriver} saw. Immutable.
 *
 * @param outcomes how often each answer came, by its name: {@code Granted}, {@code Refused NOT_HOLDER},
 *     {@code Gone EXPIRED}; with {@code late } in front for the answers to requests that queued
 * @param tokens how many tokens the store gave out
 * @param highestToken the highest of them; the same number where tokens are 1, 2, 3…
 */
public record DifferentialReport(Map<String, Integer> outcomes, int tokens, long highestToken) {

    private static final Set<String> OUTCOMES = Set.of(
            "Granted",
            "Held",
            "Completed",
            "Gone EXPIRED",
            "Gone NOT_FOUND",
            "late Granted",
            "late Held",
            "late Completed",
            "late Gone NOT_FOUND",
            "Renewed",
            "Rotated",
            "Ended",
            "List",
            "Refused NOT_FOUND",
            "Refused NOT_HOLDER",
            "Refused TOKEN_MISMATCH",
            "Refused EXPIRED",
            "Refused VERSION_MISMATCH",
            "Refused SCOPE_MISMATCH");

    public DifferentialReport {
        outcomes = Map.copyOf(outcomes);
    }

    /** How often the answer came. */
    public int count(String outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }

    /** Which of the answers that every store can give never came: none, if it ran for long. */
    public Set<String> missing() {
        Set<String> missing = new TreeSet<>(OUTCOMES);
        missing.removeAll(outcomes.keySet());
        return missing;
    }

    /** What two runs saw together, as far as it adds up: tokens do if each run had a store of its own. */
    public DifferentialReport plus(DifferentialReport other) {
        Map<String, Integer> sum = new TreeMap<>(outcomes);
        other.outcomes.forEach((outcome, count) -> sum.merge(outcome, count, Integer::sum));
        return new DifferentialReport(
                sum, tokens + other.tokens, highestToken + other.highestToken);
    }
}
