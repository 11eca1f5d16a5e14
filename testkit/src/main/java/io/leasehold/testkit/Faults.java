// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * How often a {@link FaultyStore} fails, and how. Made from {@link #none} by the other methods, each of which returns
 * a changed copy. Immutable.
 *
 * @param chances the probability of each fault, for each message; 0 where missing
 * @param minDelay the least time that a request, and again its answer, is under way
 * @param maxDelay the most time; where it is above the least, messages overtake each other
 */
public record Faults(Map<Fault, Double> chances, Duration minDelay, Duration maxDelay) {

    public Faults {
        chances = Map.copyOf(chances);
        if (minDelay.isNegative() || minDelay.compareTo(maxDelay) > 0) {
            throw new IllegalArgumentException("a delay of " + minDelay + " to " + maxDelay);
        }
        chances.forEach((fault, chance) -> {
            if (!(chance >= 0 && chance <= 1)) {
                throw new IllegalArgumentException(fault + " with a probability of " + chance);
            }
        });
    }

    /** Nothing fails, and messages take no time. */
    public static Faults none() {
        return new Faults(Map.of(), Duration.ZERO, Duration.ZERO);
    }

    public Faults losingRequests(double chance) {
        return with(Fault.REQUEST_LOST, chance);
    }

    public Faults losingReplies(double chance) {
        return with(Fault.REPLY_LOST, chance);
    }

    public Faults duplicatingRequests(double chance) {
        return with(Fault.REQUEST_DUPLICATED, chance);
    }

    /** Requests are turned away with a {@link io.leasehold.model.StoreUnavailableException}. */
    public Faults turningAway(double chance) {
        return with(Fault.UNAVAILABLE, chance);
    }

    /** Answers are replaced by an {@link io.leasehold.model.OutcomeUnknownException}. */
    public Faults breakingOff(double chance) {
        return with(Fault.OUTCOME_UNKNOWN, chance);
    }

    /** Every message takes a random time from this range, so that messages also overtake each other. */
    public Faults delaying(Duration min, Duration max) {
        return new Faults(chances, min, max);
    }

    double chanceOf(Fault fault) {
        return chances.getOrDefault(fault, 0.0);
    }

    private Faults with(Fault fault, double chance) {
        Map<Fault, Double> changed = new EnumMap<>(Fault.class);
        changed.putAll(chances);
        changed.put(fault, chance);
        return new Faults(changed, minDelay, maxDelay);
    }
}
