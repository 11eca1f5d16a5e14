// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes JSON: maps, lists, texts, numbers, booleans, and optionals that are null where empty. */
public final class Json {

    private Json() {}

    /** An object of names and values in turn. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
        }
        return object;
    }

    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator);
                writeText(entry.getKey().toString(), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (int i = 0; i < list.size(); i++) {
                out.append(i == 0 ? "" : ",");
                write(list.get(i), out);
            }
            out.append(']');
        } else if (value instanceof Optional<?> optional) {
            optional.ifPresentOrElse(inner -> write(inner, out), () -> out.append("null"));
        } else if (value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            writeText(value.toString(), out);
        }
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\').appendCodePoint(c);
            } else if (c > Character.MAX_VALUE || Printable.isHidden(c)) {
                Printable.escape(c, out);
            } else {
                out.appendCodePoint(c);
            }
        });
        out.append('"');
    }
}
