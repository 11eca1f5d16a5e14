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
        return bound == Math.rint(bound)
                ? String.format(Locale.ROOT, "%.0f", bound)
                : String.format(Locale.ROOT, "%.2f", bound);
    }
}
