// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors;
import com.google.protobuf.Message;
import com.linecorp.armeria.common.HttpMethod;

import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.server.api.Caller;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * A unary method of the protocol, and what carries it out.
 *
 * @param method the method, whose annotation names verb and path
 * @param verb GET, or POST with the request as its body
 * @param path where it is found
 * @param call what carries it out
 */
record Endpoint<Q extends Message, R extends Message>(
        MethodDescriptor<Q, R> method,
        HttpMethod verb,
        String path,
        BiFunction<Caller, Q, CompletionStage<R>> call) {

    static <Q extends Message, R extends Message> Endpoint<Q, R> of(
            MethodDescriptor<Q, R> method, BiFunction<Caller, Q, CompletionStage<R>> call) {
        HttpRule rule = rule(schema(method))
                .orElseThrow(() -> new IllegalArgumentException(
                        method.getFullMethodName() + " has no google.api.http annotation"));
        Endpoint<Q, R> endpoint = new Endpoint<>(method, verb(rule), path(rule), call);
        if (endpoint.verb == HttpMethod.GET
                && !QueryParameters.canRead(endpoint.requestPrototype().getDescriptorForType())) {
            throw new IllegalArgumentException(
                    method.getFullMethodName() + " has fields that fit into no query");
        }
        return endpoint;
    }

    /** The annotation of a method, if it has one. */
    static Optional<HttpRule> rule(Descriptors.MethodDescriptor method) {
        return method.getOptions().hasExtension(AnnotationsProto.http)
                ? Optional.of(method.getOptions().getExtension(AnnotationsProto.http))
                : Optional.empty();
    }

    /** Where the watch is found, the one stream that has a route. */
    static String watchPath() {
        return path(rule(schema(LeasesGrpc.getWatchMethod())).orElseThrow());
    }

    static HttpMethod verb(HttpRule rule) {
        return switch (rule.getPatternCase()) {
            case GET -> HttpMethod.GET;
            case POST -> HttpMethod.POST;
            default ->
                throw new IllegalArgumentException(
                        "the annotation is neither a GET nor a POST: " + rule);
        };
    }

    static String path(HttpRule rule) {
        return verb(rule) == HttpMethod.GET ? rule.getGet() : rule.getPost();
    }

    static Descriptors.MethodDescriptor schema(MethodDescriptor<?, ?> method) {
        Object schema = Objects.requireNonNull(method.getSchemaDescriptor());
        return ((ProtoMethodDescriptorSupplier) schema).getMethodDescriptor();
    }

    Q requestPrototype() {
        return prototype(method.getRequestMarshaller());
    }

    R replyPrototype() {
        return prototype(method.getResponseMarshaller());
    }

    /** The name of the method, such as "ForceRelease". */
    String name() {
        return schema(method).getName();
    }

    private static <M extends Message> M prototype(MethodDescriptor.Marshaller<M> marshaller) {
        M prototype = ((MethodDescriptor.PrototypeMarshaller<M>) marshaller).getMessagePrototype();
        return Objects.requireNonNull(prototype);
    }
}
