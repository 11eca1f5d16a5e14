// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.ContainerSerializer;
import com.fasterxml.jackson.databind.ser.PropertyWriter;
import com.fasterxml.jackson.databind.ser.impl.UnknownSerializer;
import com.fasterxml.jackson.databind.ser.impl.UnsupportedTypeSerializer;
import com.fasterxml.jackson.databind.ser.std.BeanSerializerBase;
import com.fasterxml.jackson.databind.ser.std.ReferenceTypeSerializer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the part of a type that a mapper can't write, before there is a value. Jackson itself says
 * so only when it meets a value, and by then the work that led to it is done.
 *
 * <p>Looks at the properties of classes and records and into collections, maps, arrays and
 * optionals. Passes what only a value can tell (interfaces, abstract classes, {@code Object}, types
 * that name their subtypes) and what has a serializer of its own.
 */
final class WritableTypes {

    /** Generic types may contain ever larger ones; after so many the rest is passed. */
    private static final int MAX_TYPES = 500;

    private final SerializerProvider provider;
    private final JavaType root;
    private final Set<JavaType> seen = new HashSet<>();
    private final Deque<Place> open = new ArrayDeque<>();

    /** Where in the type a serializer was found; the path of the root is empty. */
    private record Place(
            String path, JavaType type, JsonSerializer<?> serializer, boolean looksInside) {}

    private WritableTypes(ObjectMapper mapper, JavaType root) {
        this.provider = mapper.getSerializerProviderInstance();
        this.root = root;
    }

    /**
     * Looks at a type and all that it is made of.
     *
     * @throws IllegalArgumentException if a part can't be written; the message names it
     */
    static void check(ObjectMapper mapper, JavaType type) {
        new WritableTypes(mapper, type).check();
    }

    private void check() {
        try {
            add(new Place("", root, provider.findTypedValueSerializer(root, true, null), true));
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException(
                    root.toCanonical() + " can't be written as JSON: " + e.getOriginalMessage());
        }
        for (Place next = open.poll(); next != null; next = open.poll()) {
            lookInto(next);
        }
    }

    private void add(Place place) {
        if (cannotWrite(place)) {
            throw new IllegalArgumentException(root.toCanonical() + " can't be written as JSON: "
                    + subject(place) + ", for which Jackson has no serializer; give it properties"
                    + " or @JsonSerialize, add the module of Jackson that knows it, or leave the"
                    + " property out with @JsonIgnore");
        }
        if (seen.size() < MAX_TYPES && seen.add(place.type())) {
            open.add(place);
        }
    }

    private boolean cannotWrite(Place place) {
        if (place.serializer() instanceof UnsupportedTypeSerializer) {
            return true;
        }
        return place.serializer() instanceof UnknownSerializer
                && !dependsOnTheValue(place.type())
                && provider.isEnabled(SerializationFeature.FAIL_ON_EMPTY_BEANS);
    }

    private static boolean dependsOnTheValue(JavaType type) {
        return type.isJavaLangObject() || (type.isAbstract() && !type.isPrimitive());
    }

    private static String subject(Place place) {
        return place.path().isEmpty()
                ? "it is a type"
                : "its property '" + place.path() + "' is a " + place.type().toCanonical();
    }

    private void lookInto(Place place) {
        JavaType content = place.type().getContentType();
        JsonSerializer<?> serializer = place.serializer();
        if (serializer instanceof ContainerSerializer
                || serializer instanceof ReferenceTypeSerializer) {
            if (content != null && place.looksInside()) {
                found(place.path() + "[]", content, null);
            }
        } else if (serializer instanceof BeanSerializerBase && !dependsOnTheValue(place.type())) {
            Iterator<PropertyWriter> properties = serializer.properties();
            while (properties.hasNext()) {
                if (properties.next() instanceof BeanPropertyWriter property) {
                    String prefix = place.path().isEmpty() ? "" : place.path() + ".";
                    found(prefix + property.getName(), typeOf(property), property);
                }
            }
        }
    }

    private static JavaType typeOf(BeanPropertyWriter property) {
        JavaType chosen = property.getSerializationType();
        return chosen == null ? property.getType() : chosen;
    }

    /** A property, or without one what a container contains. */
    private void found(String path, JavaType type, @Nullable BeanPropertyWriter property) {
        try {
            boolean namesSubtypes = property == null
                    ? provider.findTypeSerializer(type) != null
                    : property.getTypeSerializer() != null;
            if (!namesSubtypes) {
                add(new Place(path, type, serializer(type, property), !choosesContent(property)));
            }
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException(root.toCanonical()
                    + " can't be written as JSON: its property '" + path + "': "
                    + e.getOriginalMessage());
        }
    }

    private JsonSerializer<?> serializer(JavaType type, @Nullable BeanPropertyWriter property)
            throws JsonMappingException {
        JsonSerializer<Object> chosen = property == null ? null : property.getSerializer();
        return chosen == null ? provider.findValueSerializer(type, property) : chosen;
    }

    /** Whether an annotation of the property names the serializer of what its container contains. */
    private boolean choosesContent(@Nullable BeanPropertyWriter property) {
        return property != null
                && property.getMember() != null
                && provider.getAnnotationIntrospector().findContentSerializer(property.getMember())
                        != null;
    }
}
