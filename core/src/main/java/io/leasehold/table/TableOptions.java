// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.Limits;

import java.time.Duration;

/**
 * The bounds of a table.
 *
 * @param maxLeases how many scopes may be leased or have a record at one time
 * @param maxWaitersPerScope how many requests may queue for one scope
 * @param retryWindow for how long a lease that is over is remembered, so that repeats are
 *     recognised
 * @param maxRemembered how many of those are remembered at most, the latest first
 */
public record TableOptions(
        int maxLeases, int maxWaitersPerScope, Duration retryWindow, int maxRemembered) {

    public TableOptions {
        atLeast("maxLeases", maxLeases, 1);
        atLeast("maxWaitersPerScope", maxWaitersPerScope, 0);
        atLeast("maxRemembered", maxRemembered, 0);
        if (retryWindow.isNegative() || retryWindow.compareTo(Limits.MAX_KEEP_FOR) > 0) {
            throw new IllegalArgumentException(
                    "retryWindow " + retryWindow + " is not within 0 to " + Limits.MAX_KEEP_FOR);
        }
    }

    private static void atLeast(String what, int value, int min) {
        if (value < min) {
            throw new IllegalArgumentException(what + " " + value + " is below " + min);
        }
    }

    /**
     * Ten million leases, ten thousand waiters a scope, and the last 65,536 leases remembered for
     * ten minutes.
     */
    public static TableOptions defaults() {
        return new TableOptions(10_000_000, 10_000, Duration.ofMinutes(10), 65_536);
    }
}
