// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * The secret of one acquire request: 128 random bits that the client mints and sends with it.
 * Whoever knows it may renew and release the lease, and a repeated request with the same id gets
 * the same grant instead of a second one. It therefore never appears in a log, a listing, a URL or
 * an exception; {@link #toString()} is redacted and {@link #reveal()} is the one way to the bits.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record LeaseId(long high, long low) {

    private static final int HEX_DIGITS = 32;

    /** Reads what {@link #reveal()} wrote. The error of a malformed id does not repeat it. */
    public static LeaseId parse(String secret) {
        if (secret.length() != HEX_DIGITS) {
            throw new IllegalArgumentException(
                    "a lease id has " + HEX_DIGITS + " hex digits, not " + secret.length());
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < HEX_DIGITS; i++) {
            int digit = Character.digit(secret.charAt(i), 16);
            if (digit < 0) {
                throw new IllegalArgumentException("a lease id has hex digits only");
            }
            if (i < HEX_DIGITS / 2) {
                high = high << 4 | digit;
            } else {
                low = low << 4 | digit;
            }
        }
        return new LeaseId(high, low);
    }

    /** The secret as 32 hex digits, for the wire and for the holder's own keeping. */
    public String reveal() {
        StringBuilder hex = new StringBuilder(HEX_DIGITS);
        for (int shift = 60; shift >= 0; shift -= 4) {
            hex.append(Character.forDigit((int) (high >>> shift) & 0xf, 16));
        }
        for (int shift = 60; shift >= 0; shift -= 4) {
            hex.append(Character.forDigit((int) (low >>> shift) & 0xf, 16));
        }
        return hex.toString();
    }

    /** Compares without an early exit, so that timing tells nothing about a guessed id. */
    @Override
    public boolean equals(Object other) {
        return other instanceof LeaseId id && ((high ^ id.high) | (low ^ id.low)) == 0;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(high ^ low);
    }

    @Override
    public String toString() {
        return "LeaseId[redacted]";
    }
}
