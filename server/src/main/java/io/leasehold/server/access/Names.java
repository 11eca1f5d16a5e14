// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.util.regex.Pattern;

/** What principals may be called, and foreign text in messages. */
final class Names {

    /** Whoever asks where nobody is asked for a name. */
    static final String ANYONE = "anyone";

    private static final Pattern PRINCIPAL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,127}");
    private static final int EXCERPT = 40;

    private Names() {}

    static boolean isPrincipal(String name) {
        return PRINCIPAL.matcher(name).matches() && !name.equals(ANYONE);
    }

    static void checkPrincipal(String name) {
        if (!isPrincipal(name)) {
            throw new IllegalArgumentException("'" + printable(name)
                    + "' can't be a principal's name; take up to 128 letters, digits, dots, dashes,"
                    + " underscores and @, a letter or digit first, and not '" + ANYONE + "'");
        }
    }

    /** A bounded piece of foreign text that can't break a line. */
    static String printable(String text) {
        StringBuilder printable = new StringBuilder();
        text.codePoints().limit(EXCERPT).forEach(c -> {
            int type = Character.getType(c);
            boolean plain = !Character.isISOControl(c)
                    && type != Character.FORMAT
                    && type != Character.SURROGATE
                    && type != Character.LINE_SEPARATOR
                    && type != Character.PARAGRAPH_SEPARATOR;
            printable.appendCodePoint(plain ? c : '?');
        });
        return text.codePointCount(0, text.length()) > EXCERPT
                ? printable + "…"
                : printable.toString();
    }
}
