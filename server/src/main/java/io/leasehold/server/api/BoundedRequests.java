// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses gRPC requests with very many parts before they are read into objects. A part of two bytes
 * becomes an object of some dozens: four megabytes of them would fill a small heap.
 */
public final class BoundedRequests {

    /** Ten thousand calls or renewals, the most that are served, with what each may hold. */
    private static final int MOST_PARTS = 250_000;

    private BoundedRequests() {}

    /** Says why a request was not read. */
    static final class TooManyPartsException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooManyPartsException() {
            super("the message has more than " + MOST_PARTS
                    + " parts, which is the most: send several");
        }
    }

    /** The same service. */
    public static ServerServiceDefinition of(BindableService service) {
        ServerServiceDefinition defined = service.bindService();
        ServiceDescriptor description = defined.getServiceDescriptor();
        ServiceDescriptor.Builder bounded = ServiceDescriptor.newBuilder(description.getName())
                .setSchemaDescriptor(description.getSchemaDescriptor());
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
        for (ServerMethodDefinition<?, ?> method : defined.getMethods()) {
            ServerMethodDefinition<?, ?> boundedMethod = bounded(method);
            methods.add(boundedMethod);
            bounded.addMethod(boundedMethod.getMethodDescriptor());
        }
        ServerServiceDefinition.Builder result = ServerServiceDefinition.builder(bounded.build());
        methods.forEach(result::addMethod);
        return result.build();
    }

    private static <Q, R> ServerMethodDefinition<Q, R> bounded(
            ServerMethodDefinition<Q, R> method) {
        MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
        MethodDescriptor.Marshaller<Q> usual = descriptor.getRequestMarshaller();
        if (!(usual instanceof MethodDescriptor.PrototypeMarshaller<Q> prototype)
                || !(prototype.getMessagePrototype() instanceof Message message)) {
            throw new AssertionError("the requests of " + descriptor + " are no messages");
        }
        return ServerMethodDefinition.create(
                descriptor.toBuilder()
                        .setRequestMarshaller(new Bounded<>(usual, message.getDescriptorForType()))
                        .build(),
                method.getServerCallHandler());
    }

    private record Bounded<Q>(MethodDescriptor.Marshaller<Q> usual, Descriptor type)
            implements MethodDescriptor.Marshaller<Q> {

        @Override
        public InputStream stream(Q request) {
            return usual.stream(request);
        }

        @Override
        public Q parse(InputStream stream) {
            byte[] request;
            try {
                request = stream.readAllBytes();
                new Count().add(CodedInputStream.newInstance(request), type);
            } catch (IOException e) { // or it is no message
                throw Status.INVALID_ARGUMENT
                        .withDescription("the request is no " + type.getName())
                        .withCause(e)
                        .asRuntimeException();
            }
            return usual.parse(new ByteArrayInputStream(request));
        }
    }

    /** Counts what has a length of its own in a message, at any depth: messages, texts, bytes. */
    private static final class Count {

        private int parts;

        void add(CodedInputStream message, Descriptor type) throws IOException {
            for (int tag = message.readTag(); tag != 0; tag = message.readTag()) {
                if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                    addField(message, type.findFieldByNumber(WireFormat.getTagFieldNumber(tag)));
                } else {
                    boolean unused = message.skipField(tag);
                }
            }
        }

        private void addField(CodedInputStream message, @Nullable FieldDescriptor field)
                throws IOException {
            if (++parts > MOST_PARTS) {
                throw new TooManyPartsException();
            }
            int length = message.readRawVarint32();
            if (field == null || field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                message.skipRawBytes(length);
                return;
            }
            int outer = message.pushLimit(length);
            add(message, field.getMessageType());
            message.popLimit(outer);
        }
    }
}
