// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.leasehold.Codec;

import java.io.IOException;

/**
 * Values as JSON. Thread-safe.
 *
 * <p>Unless a mapper is given: the type is the declared one, never one that the bytes name; equal
 * values give equal bytes, properties and map entries being sorted; unknown properties are ignored,
 * so that an older version reads what a newer one wrote; anything behind the value, a property that
 * comes twice, and more than 64 KiB or 100 levels are refused.
 *
 * <p>A value is never null: neither null itself nor the JSON {@code null} is taken for one. An
 * exception names the type and the kind of failure, but nothing of the value; Jackson's own, which
 * quotes it, is not kept.
 *
 * @param <T> the type of the values
 */
public final class JacksonCodec<T> implements Codec<T> {

    private static final int MAX_BYTES = 65_536;
    private static final int MAX_DEPTH = 100;

    private final JavaType type;
    private final ObjectReader reader;
    private final ObjectWriter writer;

    private JacksonCodec(ObjectMapper mapper, JavaType type) {
        this.type = type;
        this.reader = mapper.readerFor(type).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        this.writer = mapper.writerFor(type);
    }

    /** Values of a class, by the default mapper. */
    public static <T> JacksonCodec<T> of(Class<T> type) {
        return of(defaultMapper(), type);
    }

    /** Values of a generic type, by the default mapper. */
    public static <T> JacksonCodec<T> of(TypeReference<T> type) {
        return of(defaultMapper(), type);
    }

    /** Values of a class, by a mapper that is not configured any more. */
    public static <T> JacksonCodec<T> of(ObjectMapper mapper, Class<T> type) {
        return of(mapper, mapper.constructType(type));
    }

    /** Values of a generic type, by a mapper that is not configured any more. */
    public static <T> JacksonCodec<T> of(ObjectMapper mapper, TypeReference<T> type) {
        return of(mapper, mapper.constructType(type.getType()));
    }

    /** Values of a type that Jackson knows; the caller vouches that {@code T} is that type. */
    public static <T> JacksonCodec<T> of(ObjectMapper mapper, JavaType type) {
        return new JacksonCodec<>(mapper, type);
    }

    private static ObjectMapper defaultMapper() {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxDocumentLength(MAX_BYTES)
                        .maxNestingDepth(MAX_DEPTH)
                        .build())
                .build();
        return JsonMapper.builder(factory)
                .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .build();
    }

    /**
     * The value as JSON in UTF-8.
     *
     * @throws IllegalArgumentException if Jackson can't write it, or writes null
     */
    @Override
    public byte[] encode(T value) {
        byte[] bytes;
        try {
            bytes = writer.writeValueAsBytes(value);
        } catch (IOException | RuntimeException | StackOverflowError e) {
            throw failure("can't be written as JSON", e);
        }
        if (isNull(bytes)) {
            throw new IllegalArgumentException(name() + " would be written as null, which is no"
                    + " value: use a type that has a word for none");
        }
        return bytes;
    }

    /**
     * The value that was encoded to these bytes.
     *
     * @throws IllegalArgumentException if they are not JSON of the type, or null
     */
    @Override
    public T decode(byte[] bytes) {
        T value;
        try {
            value = reader.readValue(bytes);
        } catch (IOException | RuntimeException e) {
            throw failure("can't be read from the record's " + bytes.length + " bytes", e);
        }
        if (value == null) {
            throw new IllegalArgumentException("the record is null, which is no " + name());
        }
        return value;
    }

    /** Jackson's messages quote what they read, so only its kind and its place are kept. */
    private IllegalArgumentException failure(String what, Throwable cause) {
        IllegalArgumentException failure = new IllegalArgumentException(
                name() + " " + what + ": " + cause.getClass().getSimpleName());
        failure.setStackTrace(cause.getStackTrace());
        return failure;
    }

    private static boolean isNull(byte[] bytes) {
        return bytes.length == 4 && bytes[0] == 'n';
    }

    private String name() {
        return type.toCanonical();
    }
}
