// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import java.util.regex.Pattern;

/**
 * Names of tables and columns, which SQL can't bind as arguments: they become part of the
 * statement's text, so nothing passes that could be more than a name.
 */
final class Identifiers {

    private static final String PART = "(?:[A-Za-z_][A-Za-z0-9_]{0,62}|\"[A-Za-z0-9_$ -]{1,63}\")";
    private static final Pattern COLUMN = Pattern.compile(PART);
    private static final Pattern TABLE = Pattern.compile(PART + "(?:\\." + PART + ")?");
    private static final int EXCERPT = 40;

    private Identifiers() {}

    /** A table, with its schema or without. */
    static String table(String name) {
        return check("table", name, TABLE);
    }

    static String column(String name) {
        return check("column", name, COLUMN);
    }

    private static String check(String what, String name, Pattern allowed) {
        if (!allowed.matcher(name).matches()) {
            throw new IllegalArgumentException(what + " name '" + excerpt(name)
                    + "' is refused: letters, digits and _ are allowed, 63 at most, or the same"
                    + " with spaces, $ and - in double quotes"
                    + (allowed == TABLE ? ", and a schema before a dot" : ""));
        }
        return name;
    }

    /** A bounded, printable piece of foreign text for an error message. */
    static String excerpt(String text) {
        String start = text.length() > EXCERPT ? text.substring(0, EXCERPT) + "…" : text;
        return start.replaceAll("\\p{Cntrl}", "?");
    }
}
