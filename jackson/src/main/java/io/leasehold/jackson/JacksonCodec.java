// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

import io.leasehold.Codec;

import java.io.IOException;

/**
 * Values as JSON. Thread-safe.
 *
 * <p>Unless a mapper is given: the type is the declared one, never one that the bytes name; equal
 * values give equal bytes, properties and map entries being sorted; unknown properties are ignored,
 * so that an older version reads what a newer one wrote; anything behind the value, a property that
 * comes twice, and more than 64 KiB or 100 levels are refused. Dates and times of {@code java.time}
 * are ISO texts with the zone that they had; an {@code Optional} is its value or null.
 *
 * <p>With any mapper, what can't come back is refused before it is stored. A type of which a part
 * can't be written or created is refused when the codec is made, as far as the type tells it: what
 * an {@code Object}, an interface or a type with named subtypes will contain is not known then. A
 * value is refused by {@link #encode} if it takes more than 64 KiB, or if the mapper can't read
 * what it wrote: each value is read once when it is written.
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
        WritableTypes.check(mapper, type);
        ReadableTypes.check(mapper, type);
        this.type = type;
        this.reader = mapper.readerFor(type).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
        this.writer = mapper.writerFor(type);
    }

    /**
     * Values of a class, by the default mapper.
     *
     * @throws IllegalArgumentException if a part of the type can't be written or read
     */
    public static <T> JacksonCodec<T> of(Class<T> type) {
        return of(defaultMapper(), type);
    }

    /**
     * Values of a generic type, by the default mapper.
     *
     * @throws IllegalArgumentException if a part of the type can't be written or read
     */
    public static <T> JacksonCodec<T> of(TypeReference<T> type) {
        return of(defaultMapper(), type);
    }

    /**
     * Values of a class, by a mapper that is not configured any more.
     *
     * @throws IllegalArgumentException if a part of the type can't be written or read
     */
    public static <T> JacksonCodec<T> of(ObjectMapper mapper, Class<T> type) {
        return of(mapper, mapper.constructType(type));
    }

    /**
     * Values of a generic type, by a mapper that is not configured any more.
     *
     * @throws IllegalArgumentException if a part of the type can't be written or read
     */
    public static <T> JacksonCodec<T> of(ObjectMapper mapper, TypeReference<T> type) {
        return of(mapper, mapper.constructType(type.getType()));
    }

    /**
     * Values of a type that Jackson knows; the caller vouches that {@code T} is that type.
     *
     * @throws IllegalArgumentException if a part of the type can't be written or read
     */
    public static <T> JacksonCodec<T> of(ObjectMapper mapper, JavaType type) {
        return new JacksonCodec<>(mapper, type);
    }

    /** Numbers and names may be as long as a record: only the whole is limited. */
    private static ObjectMapper defaultMapper() {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(StreamWriteFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxDocumentLength(MAX_BYTES)
                        .maxNestingDepth(MAX_DEPTH)
                        .maxNumberLength(MAX_BYTES)
                        .maxNameLength(MAX_BYTES)
                        .build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .build())
                .build();
        return JsonMapper.builder(factory)
                .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .addModule(new JavaTimeModule())
                .addModule(new Jdk8Module())
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .build();
    }

    /**
     * The value as JSON in UTF-8, which {@link #decode} can read.
     *
     * @throws IllegalArgumentException if Jackson can't write it, writes null or more than 64 KiB,
     *     or can't read what it wrote
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
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(name() + " takes " + bytes.length
                    + " bytes as JSON, and a record has room for " + MAX_BYTES
                    + ": keep it elsewhere and store where it is");
        }
        read(bytes, "can't be read again from the " + bytes.length + " bytes it was written as");
        return bytes;
    }

    /**
     * The value that was encoded to these bytes.
     *
     * @throws IllegalArgumentException if they are not JSON of the type, or null
     */
    @Override
    public T decode(byte[] bytes) {
        return read(bytes, "can't be read from the record's " + bytes.length + " bytes");
    }

    private T read(byte[] bytes, String failed) {
        T value;
        try {
            value = reader.readValue(bytes);
        } catch (IOException | RuntimeException e) {
            throw failure(failed, e);
        }
        if (value == null) {
            throw new IllegalArgumentException("the record is null, which is no " + name());
        }
        return value;
    }

    /**
     * Jackson's messages quote what they read, so only its kind and its place are kept; but for
     * those about limits, which have only numbers in them.
     */
    private IllegalArgumentException failure(String what, Throwable cause) {
        IllegalArgumentException failure = new IllegalArgumentException(
                name() + " " + what + ": " + cause.getClass().getSimpleName() + limit(cause));
        failure.setStackTrace(cause.getStackTrace());
        return failure;
    }

    private static String limit(Throwable thrown) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof StreamConstraintsException exceeded) {
                return ", " + exceeded.getOriginalMessage();
            }
        }
        return "";
    }

    private static boolean isNull(byte[] bytes) {
        return bytes.length == 4 && bytes[0] == 'n';
    }

    private String name() {
        return type.toCanonical();
    }
}
