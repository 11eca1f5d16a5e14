// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A JSON object, read as protobuf writes its messages: what is missing has the default value,
 * numbers of 64 bits may be texts, and durations are texts such as {@code 0.250s}.
 */
public final class JsonObject {

    private final Map<?, ?> fields;

    JsonObject(Map<?, ?> fields) {
        this.fields = fields;
    }

    public boolean has(String name) {
        return fields.containsKey(name) && !Optional.empty().equals(fields.get(name));
    }

    /** The text, empty if it is missing. */
    public String text(String name) {
        return field(name, String.class).orElse("");
    }

    public boolean flag(String name) {
        return field(name, Boolean.class).orElse(false);
    }

    public long number(String name) {
        Object value = fields.get(name);
        if (value instanceof String digits) {
            try {
                return Long.parseLong(digits);
            } catch (NumberFormatException e) {
                throw other(name);
            }
        }
        return field(name, Long.class).orElse(0L);
    }

    /** The length of time, zero if it is missing. */
    public Duration duration(String name) {
        String text = text(name);
        return text.isEmpty() ? Duration.ZERO : Durations.parse(text);
    }

    /** The object within, if there is one. */
    public Optional<JsonObject> object(String name) {
        return has(name)
                ? Optional.of(new JsonObject(field(name, Map.class).orElseThrow()))
                : Optional.empty();
    }

    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (Object item : list(name)) {
            if (!(item instanceof String text)) {
                throw other(name);
            }
            texts.add(text);
        }
        return texts;
    }

    public List<JsonObject> objects(String name) {
        List<JsonObject> objects = new ArrayList<>();
        for (Object item : list(name)) {
            if (!(item instanceof Map<?, ?> map)) {
                throw other(name);
            }
            objects.add(new JsonObject(map));
        }
        return objects;
    }

    /** The whole object, to be written again. */
    public Map<?, ?> fields() {
        return fields;
    }

    private List<?> list(String name) {
        return has(name) ? field(name, List.class).orElseThrow() : List.of();
    }

    private <T> Optional<T> field(String name, Class<T> type) {
        if (!has(name)) {
            return Optional.empty();
        }
        Object value = fields.get(name);
        if (!type.isInstance(value)) {
            throw other(name);
        }
        return Optional.of(type.cast(value));
    }

    private static JsonException other(String name) {
        return new JsonException("the field '" + name + "' is of another kind than expected");
    }
}
