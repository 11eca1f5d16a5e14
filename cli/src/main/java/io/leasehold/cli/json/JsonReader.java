// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads JSON as RFC 8259 has it, and nothing else: no comments, no trailing commas, no name twice,
 * at most {@value #MAX_DEPTH} levels deep. Objects are maps, arrays lists; integers are {@link
 * Long}, other numbers {@link Double}, and null is an empty {@link Optional}, as {@link Json}
 * writes it.
 */
public final class JsonReader {

    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /** The one object that the text is. */
    public static JsonObject object(String text) {
        Object value = value(text);
        if (value instanceof Map<?, ?> map) {
            return new JsonObject(map);
        }
        throw new JsonException("the JSON is no object");
    }

    static Object value(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value(0);
        reader.skipBlanks();
        if (reader.at < text.length()) {
            throw reader.wrong("something follows the end");
        }
        return value;
    }

    private Object value(int depth) {
        skipBlanks();
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> text();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", Optional.empty());
            default -> number();
        };
    }

    private Map<String, Object> object(int depth) {
        enter(depth);
        Map<String, Object> object = new LinkedHashMap<>();
        if (isNext('}')) {
            return object;
        }
        do {
            skipBlanks();
            String name = text();
            skipBlanks();
            expect(':');
            if (object.put(name, value(depth + 1)) != null) {
                throw wrong("a name comes twice");
            }
        } while (isNext(','));
        expect('}');
        return object;
    }

    private List<Object> array(int depth) {
        enter(depth);
        List<Object> array = new ArrayList<>();
        if (isNext(']')) {
            return array;
        }
        do {
            array.add(value(depth + 1));
        } while (isNext(','));
        expect(']');
        return array;
    }

    private void enter(int depth) {
        if (depth >= MAX_DEPTH) {
            throw wrong("it is nested too deep");
        }
        at++;
    }

    private String text() {
        expect('"');
        int from = at;
        while (peek() != '"' && peek() != '\\') {
            plain();
        }
        if (peek() == '"') {
            return text.substring(from, at++);
        }
        StringBuilder out = new StringBuilder().append(text, from, at);
        while (peek() != '"') {
            if (peek() == '\\') {
                at++;
                out.append(escaped());
            } else {
                out.append(plain());
            }
        }
        at++;
        return out.toString();
    }

    private char plain() {
        if (peek() < ' ') {
            throw wrong("a control character in a text");
        }
        return text.charAt(at++);
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw wrong("an unknown escape");
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char c = peek();
            int digit = c < 0x80 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw wrong("an escape without four hex digits");
            }
            code = code << 4 | digit;
            at++;
        }
        return (char) code;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("an unknown word");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int from = at;
        boolean whole = true;
        skip('-');
        if (!skip('0')) {
            digits();
        }
        if (skip('.')) {
            whole = false;
            digits();
        }
        if (skip('e') || skip('E')) {
            whole = false;
            boolean unused = skip('+') || skip('-');
            digits();
        }
        String digits = text.substring(from, at);
        try {
            return whole ? (Object) Long.valueOf(digits) : (Object) Double.valueOf(digits);
        } catch (NumberFormatException e) {
            throw wrong("a number beyond 64 bits");
        }
    }

    private void digits() {
        if (peek() < '0' || peek() > '9') {
            throw wrong("something that is no value");
        }
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
    }

    private boolean skip(char c) {
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private boolean isNext(char c) {
        skipBlanks();
        return skip(c);
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong("no " + c);
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("the end, too early");
        }
        return text.charAt(at);
    }

    private void skipBlanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private JsonException wrong(String what) {
        return new JsonException("this is no JSON: at index " + at + " there is " + what);
    }
}
