// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.Locale;

/**
 * What was aimed at and how it went.
 *
 * @param text the bound, for people
 * @param reached whether the figure keeps to it
 */
record Goal(String text, boolean reached) {

    static Goal atLeast(double bound, double figure) {
        return new Goal(">= " + number(bound), figure >= bound);
    }

    static Goal atMost(double bound, double figure) {
        return new Goal("<= " + number(bound), figure <= bound);
    }

    private static String number(double bound) {
        if (bound == Math.rint(bound)) {
            return String.format(Locale.ROOT, "%.0f", bound);
        }
        return String.format(Locale.ROOT, bound < 0.2 ? "%.3f" : "%.2f", bound);
    }
}
