// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.time.Duration;

/** The limits that every name, path and label obeys. */
final class Text {

    private static final int EXCERPT = 40;

    private Text() {}

    /**
     * Refuses text that is empty, too long as UTF-8, has control characters or can't be encoded.
     */
    static void check(String what, String text, int maxBytes) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(what + " is empty");
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
                throw new IllegalArgumentException(
                        what + " '" + excerpt(text) + "' has a control character at index " + i);
            }
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new IllegalArgumentException(
                        what + " '" + excerpt(text) + "' has an unpaired surrogate at index " + i);
            }
        }
        if (bytes > maxBytes) {
            throw new IllegalArgumentException(what + " '" + excerpt(text) + "' has " + bytes
                    + " bytes; at most " + maxBytes + " are allowed");
        }
    }

    /** Reads a number of 64 bits in its one spelling: ASCII digits, no sign, no leading zero. */
    static long unsigned(String digits) {
        long number = Long.parseUnsignedLong(digits);
        if (!Long.toUnsignedString(number).equals(digits)) {
            throw new NumberFormatException("not the usual spelling of a number");
        }
        return number;
    }

    /** The same for numbers below 2^63. */
    static long number(String digits) {
        long number = unsigned(digits);
        if (number < 0) {
            throw new NumberFormatException("not below 2^63");
        }
        return number;
    }

    /** A length of time for people, to a tenth of a second. */
    static String seconds(Duration duration) {
        long millis = duration.toMillis();
        return millis / 1000 + "." + millis % 1000 / 100 + " s";
    }

    /** A bounded, printable piece of foreign text for an error message. */
    static String excerpt(String text) {
        StringBuilder printable = new StringBuilder();
        for (int i = 0; i < text.length() && i < EXCERPT; i++) {
            char c = text.charAt(i);
            boolean unprintable = Character.isISOControl(c)
                    || Character.isSurrogate(c)
                    || c == '\u2028'
                    || c == '\u2029';
            printable.append(unprintable ? '?' : c);
        }
        return text.length() > EXCERPT ? printable + "…" : printable.toString();
    }
}
