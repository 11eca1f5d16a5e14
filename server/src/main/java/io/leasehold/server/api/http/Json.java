// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.SegmentedStringWriter;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.curioswitch.common.protobuf.json.MessageMarshaller;

/**
 * Protobuf's JSON mapping, strictly: unknown fields, fields given twice, anything behind the end
 * and all that JSON does not know are errors. Default values are printed. Thread-safe.
 */
final class Json {

    private static final int DEEPEST = 16;

    private final JsonFactory factory = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build();
    private final MessageMarshaller marshaller;
    private final Set<String> enumFields = new HashSet<>();

    /** For these messages and all that they are made of. */
    Json(Collection<Message> prototypes) {
        MessageMarshaller.Builder builder = MessageMarshaller.builder()
                .includingDefaultValueFields(true)
                .omittingInsignificantWhitespace(true);
        prototypes.forEach(builder::register);
        marshaller = builder.build();
        Set<Descriptor> seen = new HashSet<>();
        prototypes.forEach(prototype -> collectEnums(prototype.getDescriptorForType(), seen));
    }

    private void collectEnums(Descriptor message, Set<Descriptor> seen) {
        if (seen.add(message)) {
            for (FieldDescriptor field : message.getFields()) {
                if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
                    enumFields.add(field.getJsonName());
                    enumFields.add(field.getName());
                } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                    collectEnums(field.getMessageType(), seen);
                }
            }
        }
    }

    /** Reads one message from UTF-8. */
    void read(byte[] json, Message.Builder message) throws MalformedException {
        if (json.length == 0) {
            throw new MalformedException("The body is empty; send a JSON object, at least {}.");
        }
        try (JsonParser bytes = factory.createParser(json);
                JsonParser parser = new StrictParser(bytes, enumFields)) {
            try {
                marshaller.mergeValue(parser, message);
            } catch (IOException | RuntimeException e) {
                throw JsonErrors.explain(parser, message.getDescriptorForType(), e);
            }
            if (parser.nextToken() != null) {
                throw new MalformedException("There is more behind the end of the JSON object.");
            }
        } catch (IOException e) {
            throw new MalformedException("There is more behind the end of the JSON object.");
        }
    }

    byte[] write(Message message) {
        return write(generator -> write(message, generator));
    }

    String writeText(Message message) {
        try (SegmentedStringWriter text = new SegmentedStringWriter(factory._getBufferRecycler())) {
            try (JsonGenerator generator = factory.createGenerator(text)) {
                marshaller.writeValue(message, generator);
            }
            return text.getAndClear();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(Message message, JsonGenerator generator) throws IOException {
        marshaller.writeValue(message, generator);
    }

    byte[] write(Content content) {
        try (ByteArrayBuilder bytes = new ByteArrayBuilder(factory._getBufferRecycler())) {
            try (JsonGenerator generator = factory.createGenerator(bytes, JsonEncoding.UTF8)) {
                content.write(generator);
            }
            return bytes.getClearAndRelease();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Something that is written as JSON. */
    @FunctionalInterface
    interface Content {
        void write(JsonGenerator generator) throws IOException;
    }
}
