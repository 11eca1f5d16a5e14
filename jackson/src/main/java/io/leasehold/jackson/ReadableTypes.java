// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jackson;

import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.DefaultDeserializationContext;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.impl.UnsupportedTypeDeserializer;
import com.fasterxml.jackson.databind.deser.std.ContainerDeserializerBase;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Set;

/**
 * Finds the part of a type that a mapper can't read, before there is a value: a class that it can't
 * create, or one of a module of Jackson's that is missing. What only a value can tell is passed, as
 * in {@link WritableTypes}.
 */
final class ReadableTypes {

    private final DeserializationContext context;
    private final JavaType root;
    private final Set<JsonDeserializer<?>> seen =
            Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Place> open = new ArrayDeque<>();

    private record Place(String path, JsonDeserializer<?> deserializer) {}

    private ReadableTypes(DeserializationContext context, JavaType root) {
        this.context = context;
        this.root = root;
    }

    /**
     * Looks at a type and all that it is made of.
     *
     * @throws IllegalArgumentException if a part can't be read; the message names it
     */
    static void check(ObjectMapper mapper, JavaType type) {
        if (mapper.getDeserializationContext() instanceof DefaultDeserializationContext blueprint) {
            new ReadableTypes(
                            blueprint.createDummyInstance(mapper.getDeserializationConfig()), type)
                    .check();
        }
    }

    private void check() {
        try {
            add(new Place("", context.findRootValueDeserializer(root)));
            for (Place next = open.poll(); next != null; next = open.poll()) {
                lookInto(next);
            }
        } catch (JsonMappingException e) {
            throw new IllegalArgumentException(
                    root.toCanonical() + " can't be read from JSON: " + e.getOriginalMessage());
        }
    }

    private void add(Place place) {
        JsonDeserializer<?> deserializer = place.deserializer();
        if (cannotRead(deserializer)) {
            String subject = place.path().isEmpty()
                    ? "it is a type"
                    : "its property '" + place.path() + "' is a "
                            + deserializer.handledType().getName();
            throw new IllegalArgumentException(root.toCanonical() + " can't be read from JSON: "
                    + subject + " that Jackson can't create; give it a constructor without"
                    + " parameters, @JsonCreator or @JsonDeserialize, or add the module of Jackson"
                    + " that knows it");
        }
        if (seen.add(deserializer)) {
            open.add(place);
        }
    }

    private static boolean cannotRead(JsonDeserializer<?> deserializer) {
        return deserializer instanceof UnsupportedTypeDeserializer
                || (deserializer instanceof BeanDeserializerBase bean
                        && !bean.getValueInstantiator().canInstantiate());
    }

    private void lookInto(Place place) throws JsonMappingException {
        if (place.deserializer() instanceof ContainerDeserializerBase<?> container) {
            JsonDeserializer<?> content = container.getContentDeserializer();
            if (content != null && !namesSubtypes(container.getContentType())) {
                add(new Place(place.path() + "[]", content));
            }
        } else if (place.deserializer() instanceof BeanDeserializerBase bean) {
            Iterator<SettableBeanProperty> properties = bean.properties();
            while (properties.hasNext()) {
                SettableBeanProperty property = properties.next();
                if (property.hasValueDeserializer() && !property.hasValueTypeDeserializer()) {
                    String prefix = place.path().isEmpty() ? "" : place.path() + ".";
                    add(new Place(prefix + property.getName(), property.getValueDeserializer()));
                }
            }
        }
    }

    private boolean namesSubtypes(JavaType type) throws JsonMappingException {
        return context.getFactory().findTypeDeserializer(context.getConfig(), type) != null;
    }
}
