// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** As much JSON as a problem needs: an object of texts and numbers. */
final class Json {

    private static final int MAX_DEPTH = 32;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * An object of texts and numbers, in ASCII that means the same in every character set and does
     * nothing in a page.
     */
    static String write(Map<String, Object> members) {
        StringBuilder json = new StringBuilder("{");
        members.forEach((name, value) -> {
            json.append(json.length() > 1 ? "," : "");
            quote(json, name);
            json.append(':');
            if (value instanceof Number) {
                json.append(value);
            } else {
                quote(json, value.toString());
            }
        });
        return json.append('}').toString();
    }

    private static void quote(StringBuilder json, String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~' || "<>&'".indexOf(c) >= 0) {
                json.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    json.append(Character.forDigit(c >> shift & 0xF, 16));
                }
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }

    /** The members of an object that are texts; empty if this is anything but one JSON object. */
    static Optional<Map<String, String>> read(String text) {
        try {
            Json json = new Json(text);
            json.skipBlanks();
            Map<String, String> members = json.object(0);
            json.skipBlanks();
            return json.at == text.length() ? Optional.of(members) : Optional.empty();
        } catch (NotJson | NumberFormatException | StringIndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private Map<String, String> object(int depth) {
        Map<String, String> members = new LinkedHashMap<>();
        expect('{');
        if (isNext('}')) {
            return members;
        }
        do {
            skipBlanks();
            String name = string();
            skipBlanks();
            expect(':');
            skipBlanks();
            if (text.charAt(at) == '"') {
                members.put(name, string());
            } else {
                // the last one counts, and it is no text
                members.remove(name);
                skipValue(depth + 1);
            }
        } while (isNext(','));
        skipBlanks();
        expect('}');
        return members;
    }

    private void skipValue(int depth) {
        if (depth > MAX_DEPTH) {
            throw new NotJson();
        }
        switch (text.charAt(at)) {
            case '{' -> object(depth);
            case '[' -> skipArray(depth);
            case '"' -> string();
            default -> skipWord();
        }
    }

    private void skipArray(int depth) {
        expect('[');
        if (isNext(']')) {
            return;
        }
        do {
            skipBlanks();
            skipValue(depth + 1);
        } while (isNext(','));
        skipBlanks();
        expect(']');
    }

    /** A number, true, false or null; their spelling is not our concern. */
    private void skipWord() {
        int start = at;
        while (Character.isLetterOrDigit(text.charAt(at)) || "+-.".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (at == start) {
            throw new NotJson();
        }
    }

    private String string() {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c < ' ') {
                throw new NotJson();
            }
            value.append(c == '\\' ? escaped() : c);
        }
        at++;
        return value.toString();
    }

    private char escaped() {
        char c = text.charAt(at++);
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                at += 4;
                yield (char) Integer.parseUnsignedInt(text, at - 4, at, 16);
            }
            default -> throw new NotJson();
        };
    }

    private void expect(char c) {
        if (text.charAt(at++) != c) {
            throw new NotJson();
        }
    }

    private boolean isNext(char c) {
        skipBlanks();
        if (text.charAt(at) != c) {
            return false;
        }
        at++;
        return true;
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Never leaves this class. */
    private static final class NotJson extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotJson() {
            super(null, null, false, false);
        }
    }
}
