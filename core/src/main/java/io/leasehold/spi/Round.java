// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.util.Comparator;

/**
 * When an attempt of the quorum engine asked for a lease. Rounds are ordered by their number; where
 * that is equal, by the attempt.
 *
 * @param number rises with each time that the attempt asks; below 2^53
 * @param attempt a random number, below 2^53, that is the same for one caller's pursuit of one
 *     lease and differs from all others; 0 for nobody
 */
public record Round(long number, long attempt) implements Comparable<Round> {

    private static final long LIMIT = 1L << 53;
    private static final Comparator<Round> ORDER =
            Comparator.comparingLong(Round::number).thenComparingLong(Round::attempt);

    /** Before all others. */
    public static final Round NONE = new Round(0, 0);

    /** After all others: of a token that is known to be final. */
    public static final Round FINAL = new Round(LIMIT, 0);

    public Round {
        if (number < 0 || number > LIMIT || attempt < 0 || attempt >= LIMIT) {
            throw new IllegalArgumentException("a round outside 0 to 2^53");
        }
    }

    /** Whether it is no attempt of the quorum engine. */
    public boolean isNone() {
        return equals(NONE);
    }

    /** Whether it stands for a token that is known to be final. */
    public boolean isFinal() {
        return equals(FINAL);
    }

    /** Whether it is later than the other. */
    public boolean isAfter(Round other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(Round other) {
        return ORDER.compare(this, other);
    }
}
