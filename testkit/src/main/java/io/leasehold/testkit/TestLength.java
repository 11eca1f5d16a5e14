// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

/**
 * Chooses how often a test repeats itself in its search for rare faults: a short form in every
 * build, a long form with {@code -Dleasehold.long}.
 *
 * <p>A test class that has no short form is tagged {@code long}; the build leaves it out unless the
 * same switch is set.
 */
public final class TestLength {

    private static final boolean LONG = Boolean.getBoolean("leasehold.long");

    private TestLength() {}

    /** Returns the first number in every build, the second with {@code -Dleasehold.long}. */
    public static int of(int usual, int inLongForm) {
        return LONG ? inLongForm : usual;
    }
}
