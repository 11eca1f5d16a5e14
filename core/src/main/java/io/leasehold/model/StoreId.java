// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * Identifies a store: 128 random bits, drawn when the store is made and kept in it. Two tokens may be
 * compared only if they are of one store. A store that has lost what it knew has another id, so a
 * client can tell it from the one that granted its leases. It is public, and no credential.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record StoreId(long high, long low) {

    private static final int HEX_DIGITS = 32;

    /** Draws an id for a new store. */
    public static StoreId random(RandomGenerator random) {
        return new StoreId(random.nextLong(), random.nextLong());
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException if the text is not 32 hex digits
     */
    public static StoreId parse(String text) {
        if (text.length() != HEX_DIGITS) {
            throw new IllegalArgumentException(
                    "a store id has " + HEX_DIGITS + " hex digits, not " + text.length());
        }
        return new StoreId(
                HexFormat.fromHexDigitsToLong(text, 0, HEX_DIGITS / 2),
                HexFormat.fromHexDigitsToLong(text, HEX_DIGITS / 2, HEX_DIGITS));
    }

    /** The id as 32 hex digits, as it is shown and sent. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }
}
