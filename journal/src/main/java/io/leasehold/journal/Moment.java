// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.FencingToken;

/**
 * How far a store had come.
 *
 * @param time store time
 * @param start how often it had been opened
 * @param lastToken the last token that it had drawn
 */
record Moment(long time, long start, long lastToken) {

    /** Far more than there can be of anything that is counted, and far from where numbers end. */
    private static final long MOST = 1L << 62;

    /**
     * Checks what was read.
     *
     * @throws IllegalArgumentException if no store can have come there
     */
    Moment plausible() {
        long unused = plausible(time);
        unused = plausible(start);
        unused = plausibleToken(lastToken);
        return this;
    }

    /** A time or a count that was read, if it can be one. */
    static long plausible(long value) {
        if (value < 0 || value > MOST) {
            throw new IllegalArgumentException("a time or count of " + value);
        }
        return value;
    }

    /** A token that was read, if it can be one; 0 is none. */
    static long plausibleToken(long value) {
        if (value < 0 || value > FencingToken.MAX_VALUE) {
            throw new IllegalArgumentException("a token " + value);
        }
        return value;
    }
}
