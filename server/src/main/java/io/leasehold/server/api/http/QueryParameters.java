// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.linecorp.armeria.common.QueryParams;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads a request from the query of an address. */
final class QueryParameters {

    /** Proof of ownership that must not get into the logs of proxies. */
    private static final String SECRET = "lease_id";

    private QueryParameters() {}

    static void read(QueryParams query, Message.Builder message) throws MalformedException {
        Descriptor type = message.getDescriptorForType();
        Set<FieldDescriptor> seen = new HashSet<>();
        for (String name : query.names()) {
            FieldDescriptor field = JsonErrors.field(type, name);
            if (field == null || field.getName().equals(SECRET)) {
                throw JsonErrors.unknownField(name, type);
            }
            List<String> values = query.getAll(name);
            if (values.size() > 1 || !seen.add(field)) {
                throw new MalformedException("The field '" + name + "' is there twice.");
            }
            message.setField(field, value(field, name, values.get(0)));
        }
    }

    /** Whether all fields of the message can be given in a query. */
    static boolean canRead(Descriptor type) {
        return type.getFields().stream()
                .allMatch(field -> !field.isRepeated()
                        && switch (field.getJavaType()) {
                            case STRING, INT, LONG -> true;
                            default -> false;
                        });
    }

    private static Object value(FieldDescriptor field, String name, String text)
            throws MalformedException {
        try {
            return switch (field.getJavaType()) {
                case STRING -> text;
                case INT -> Integer.parseInt(text);
                case LONG -> Long.parseLong(text);
                default -> throw JsonErrors.wrongValue(name, field);
            };
        } catch (NumberFormatException e) {
            throw JsonErrors.wrongValue(name, field);
        }
    }
}
