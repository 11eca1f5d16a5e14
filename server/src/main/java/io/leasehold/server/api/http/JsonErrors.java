// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says what is wrong with a body: which field, and what is expected there. Never which value: it may
 * be a lease id at the wrong place.
 */
final class JsonErrors {

    private static final int LONGEST_NAME = 64;

    private JsonErrors() {}

    static MalformedException explain(JsonParser parser, Descriptor root, Exception cause) {
        if (isSyntax(cause)) {
            JsonLocation at = parser.currentLocation();
            return new MalformedException("The body is not JSON, near line " + at.getLineNr()
                    + ", column " + at.getColumnNr() + ".");
        }
        Deque<String> names = new ArrayDeque<>();
        for (JsonStreamContext at = parser.getParsingContext();
                at != null && !at.inRoot();
                at = at.getParent()) {
            if (at.inObject() && at.getCurrentName() != null) {
                names.addFirst(at.getCurrentName());
            }
        }
        return walk(names, root, cause);
    }

    /** The field of that name, as the protocol spells it or as JSON does. */
    static @Nullable FieldDescriptor field(Descriptor message, String name) {
        for (FieldDescriptor field : message.getFields()) {
            if (field.getName().equals(name) || field.getJsonName().equals(name)) {
                return field;
            }
        }
        return null;
    }

    static MalformedException unknownField(String path, Descriptor message) {
        String known = message.getFields().stream()
                .map(FieldDescriptor::getJsonName)
                .collect(Collectors.joining(", "));
        return new MalformedException("There is no field '" + shown(path) + "'; "
                + (known.isEmpty() ? "none is expected." : "known are " + known + "."));
    }

    static MalformedException wrongValue(String path, FieldDescriptor field) {
        return new MalformedException(
                "The field '" + shown(path) + "' is not " + expected(field) + ".");
    }

    private static MalformedException walk(Deque<String> names, Descriptor root, Exception cause) {
        Descriptor message = root;
        FieldDescriptor field = null;
        StringBuilder path = new StringBuilder();
        for (String name : names) {
            path.append(path.isEmpty() ? "" : ".").append(name);
            if (message == null || (field = field(message, name)) == null) {
                return unknownField(path.toString(), message == null ? root : message);
            }
            message = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    ? field.getMessageType()
                    : null;
        }
        if (field == null) {
            return new MalformedException("The body is not a JSON object.");
        }
        String text = cause.getMessage();
        if (text != null && text.endsWith("has already been set.")) {
            return new MalformedException("The field '" + shown(path.toString())
                    + "' is there twice, or contradicts another.");
        }
        return wrongValue(path.toString(), field);
    }

    private static String expected(FieldDescriptor field) {
        String one = switch (field.getJavaType()) {
            case STRING -> "a string";
            case INT, LONG ->
                "a whole number in the range of "
                        + field.getType().name().toLowerCase(java.util.Locale.ROOT);
            case BOOLEAN -> "true or false";
            case BYTE_STRING -> "a string of base64";
            case ENUM ->
                "one of "
                        + field.getEnumType().getValues().stream()
                                .map(value -> value.getName())
                                .collect(Collectors.joining(", "));
            case MESSAGE ->
                field.getMessageType().getFullName().equals("google.protobuf.Duration")
                        ? "a duration in seconds, such as \"30s\" or \"0.250s\""
                        : "an object";
            default -> "what is expected there";
        };
        return field.isRepeated() ? "a list whose elements are each " + one : one;
    }

    private static String shown(String path) {
        StringBuilder shown = new StringBuilder();
        path.codePoints()
                .limit(LONGEST_NAME)
                .map(point -> Character.isISOControl(point) ? '?' : point)
                .forEach(shown::appendCodePoint);
        return shown.length() < path.length() ? shown + "…" : shown.toString();
    }

    private static boolean isSyntax(@Nullable Throwable cause) {
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof JsonProcessingException failure
                    && !(failure
                            instanceof com.fasterxml.jackson.core.exc.InputCoercionException)) {
                return true;
            }
        }
        return false;
    }
}
