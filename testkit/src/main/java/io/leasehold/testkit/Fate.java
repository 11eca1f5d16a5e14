// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What will become of one message and its answer, decided when it is sent. Every fate takes the same number of draws,
 * so that a changed probability does not change all that comes after it.
 *
 * @param faults what will go wrong
 * @param request how long the request is under way
 * @param duplicate how much later its duplicate arrives
 * @param reply how long the answer is under way
 */
record Fate(Set<Fault> faults, Duration request, Duration duplicate, Duration reply) {

    static Fate draw(Faults odds, SplittableRandom random) {
        Set<Fault> faults = EnumSet.noneOf(Fault.class);
        for (Fault fault : Fault.values()) {
            if (random.nextDouble() < odds.chanceOf(fault)) {
                faults.add(fault);
            }
        }
        return new Fate(faults, delay(odds, random), delay(odds, random), delay(odds, random));
    }

    boolean has(Fault fault) {
        return faults.contains(fault);
    }

    private static Duration delay(Faults odds, SplittableRandom random) {
        long spread = odds.maxDelay().minus(odds.minDelay()).toNanos();
        long extra = (long) (random.nextDouble() * spread);
        return odds.minDelay().plusNanos(extra);
    }
}
