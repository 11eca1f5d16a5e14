// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.Locale;

/** A measured number with its unit. */
record Quantity(double value, Unit unit) {

    enum Unit {
        PAIRS_PER_SECOND("/s"),
        NANOSECONDS("ns"),
        BYTES("B"),
        PER_FORCE("a force"),
        PERCENT_OF_A_CORE("% of a core");

        private final String sign;

        Unit(String sign) {
            this.sign = sign;
        }

        @Override
        public String toString() {
            return sign;
        }
    }

    static Quantity perSecond(double value) {
        return new Quantity(value, Unit.PAIRS_PER_SECOND);
    }

    static Quantity nanoseconds(double value) {
        return new Quantity(value, Unit.NANOSECONDS);
    }

    /** With three digits or so, in thousands or millions where that is shorter. */
    @Override
    public String toString() {
        if (unit == Unit.NANOSECONDS && value >= 100_000_000) {
            return String.format(Locale.ROOT, "%.0f ms", value / 1_000_000);
        }
        if (unit == Unit.NANOSECONDS && value >= 1_000_000) {
            return String.format(Locale.ROOT, "%.2f ms", value / 1_000_000);
        }
        if (unit == Unit.NANOSECONDS && value >= 10_000) {
            return String.format(Locale.ROOT, "%.1f us", value / 1_000);
        }
        if (value >= 10_000_000) {
            return text("%.1f M", value / 1_000_000);
        }
        if (value >= 1_000_000) {
            return text("%.2f M", value / 1_000_000);
        }
        if (value >= 10_000) {
            return text("%.0f k", value / 1_000);
        }
        return text(value < 100 ? "%.1f " : "%.0f ", value);
    }

    private String text(String format, double scaled) {
        return String.format(Locale.ROOT, format, scaled) + unit;
    }
}
