// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * The fencing number of a grant: drawn when ownership changes, strictly increasing in grant order
 * over a namespace, unchanged by renewal. A token is public and proves nothing; it only orders
 * holders, so that a resource can reject one that is older than the newest it has seen.
 *
 * @param value 1 to 2<sup>53</sup>-1, the range that survives JSON and Lua numbers
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

    /** The lowest token there is. */
    public static final FencingToken FIRST = new FencingToken(1);

    /** The last token of a namespace; a store that has handed it out grants nothing more. */
    public static final long MAX_VALUE = (1L << 53) - 1;

    public FencingToken {
        if (value < 1 || value > MAX_VALUE) {
            throw new IllegalArgumentException(
                    "fencing token " + value + " is outside 1 to " + MAX_VALUE);
        }
    }

    /** Reads the decimal form that {@link #toString()} writes. */
    public static FencingToken parse(String text) {
        try {
            return new FencingToken(Text.number(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "fencing token '" + Text.excerpt(text) + "' is not a number", e);
        }
    }

    /** Whether this token was granted before the other, hence is stale where the other was seen. */
    public boolean isOlderThan(FencingToken other) {
        return value < other.value;
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
