// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

import java.nio.charset.CharsetEncoder;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * Escapes the characters with which a text could look like another one, or command a terminal:
 * control characters, marks of writing direction, characters without width, line separators.
 */
public final class Printable {

    private Printable() {}

    /** The text with such characters as {@code \\u202e}, line feeds included. */
    public static String text(String text) {
        return text(text, Printable::isHidden);
    }

    /** The same of several lines, which stay lines; tabs stay too. */
    public static String lines(String text) {
        return text(text, c -> isHidden(c) && c != '\n' && c != '\r' && c != '\t');
    }

    /** The same, with what a character set does not have escaped too. */
    public static String text(String text, CharsetEncoder encoder) {
        return text(text, c -> isHidden(c) || !encoder.canEncode(Character.toString(c)));
    }

    private static String text(String text, IntPredicate escaped) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            if (escaped.test(c)) {
                escape(c, out);
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /** Whether a person would not see the character, or not as what it is. */
    public static boolean isHidden(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> true;
            default -> isBlankThoughALetter(codePoint);
        };
    }

    /** Letters and marks that Unicode's property Default_Ignorable_Code_Point makes invisible. */
    private static boolean isBlankThoughALetter(int codePoint) {
        return switch (codePoint) {
            case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0 -> true;
            default ->
                (codePoint >= 0x180b && codePoint <= 0x180f)
                        || (codePoint >= 0xfe00 && codePoint <= 0xfe0f)
                        || (codePoint >= 0xe0000 && codePoint <= 0xe0fff);
        };
    }

    /** As JSON has it, so that escaped JSON is still the same JSON. */
    public static void escape(int codePoint, StringBuilder out) {
        for (char c : Character.toChars(codePoint)) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
        }
    }
}
