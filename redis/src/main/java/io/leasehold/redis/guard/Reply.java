// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a Lua body returned: a text, a number, a list of these, or nil, which {@code false} becomes
 * too. Lua's numbers lose their fraction on the way. Immutable.
 */
public final class Reply {

    private final @Nullable Object value;

    Reply(@Nullable Object value) {
        this.value = value;
    }

    /** Whether the body returned nothing, nil or false. */
    public boolean isNil() {
        return value == null;
    }

    /** The text, or the number's digits; empty for nil. */
    public Optional<String> text() {
        return value == null
                ? Optional.empty()
                : Optional.of(new String(bytes(value), StandardCharsets.UTF_8));
    }

    /** The bytes of the text; empty for nil. */
    public Optional<byte[]> bytes() {
        return value == null ? Optional.empty() : Optional.of(bytes(value));
    }

    /**
     * The number, also if the body returned it as a text.
     *
     * @throws IllegalStateException if it is none
     */
    public long number() {
        if (value instanceof Number number) {
            return number.longValue();
        }
        try {
            return Long.parseLong(text().orElse("nil"));
        } catch (NumberFormatException e) {
            throw new IllegalStateException(this + " is no whole number", e);
        }
    }

    /**
     * The elements of the list.
     *
     * @throws IllegalStateException if it is none
     */
    public List<Reply> list() {
        if (value instanceof List<?> list) {
            return list.stream().map(Reply::new).toList();
        }
        throw new IllegalStateException(this + " is no list");
    }

    @Override
    public String toString() {
        if (value instanceof List<?>) {
            return list().toString();
        }
        return text().orElse("nil");
    }

    private byte[] bytes(Object scalar) {
        if (scalar instanceof List<?>) {
            throw new IllegalStateException(this + " is a list");
        }
        return scalar instanceof byte[] bytes
                ? bytes.clone()
                : scalar.toString().getBytes(StandardCharsets.UTF_8);
    }
}
