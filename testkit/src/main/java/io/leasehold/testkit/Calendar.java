// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.TreeSet;

/**
 * The moments at which something may end by itself: leases, lock-delays, waits, records. Some of them are moot by the
 * time they come, which does no harm: it only keeps commands away from them.
 */
final class Calendar {

    private final long tolerance;
    private final TreeSet<Long> moments = new TreeSet<>();

    Calendar(long tolerance) {
        this.tolerance = tolerance;
    }

    /** Notes a moment; where time is exact there is nothing to keep away from. */
    void add(long moment) {
        if (tolerance > 0) {
            moments.add(moment);
        }
    }

    /** How long to stand by until no moment is so near that it may be past for the one and not for the other. */
    long untilClear(long now) {
        moments.headSet(now - 4 * tolerance).clear();
        long clear = now;
        for (Long near = moments.ceiling(clear - tolerance);
                near != null && near <= clear + tolerance;
                near = moments.ceiling(clear - tolerance)) {
            clear = near + tolerance + 1;
        }
        return clear - now;
    }

    /** The first moment behind the given one, or that one's end if there is none before it. */
    long nextBefore(long now, long end) {
        Long next = moments.higher(now);
        return next == null ? end : Math.min(end, next);
    }

    /** Whether another moment is too near to the given one for everybody to agree which comes first. */
    boolean isCrowded(long moment) {
        Long before = moments.lower(moment);
        Long after = moments.higher(moment);
        boolean soonAfter = before != null && moment - before <= 2 * tolerance;
        boolean soonBefore = after != null && after - moment <= 2 * tolerance;
        return soonAfter || soonBefore;
    }
}
