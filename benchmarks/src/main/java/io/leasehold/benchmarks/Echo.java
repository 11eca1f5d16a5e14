// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.grpc.GrpcService;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.SessionRequest;

import java.time.Duration;

/** What the server's stack gives if nothing is done: messages and JSON, sent back as they came. */
final class Echo {

    /** The stream that all callers share. */
    static final MethodDescriptor<SessionRequest, SessionRequest> STREAM =
            MethodDescriptor.<SessionRequest, SessionRequest>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName("leasehold.benchmarks.Echo/Stream")
                    .setRequestMarshaller(
                            ProtoUtils.marshaller(SessionRequest.getDefaultInstance()))
                    .setResponseMarshaller(
                            ProtoUtils.marshaller(SessionRequest.getDefaultInstance()))
                    .build();

    static final String JSON = "/echo";

    private Echo() {}

    static Server start() {
        ServerServiceDefinition stream = ServerServiceDefinition.builder(
                        "leasehold.benchmarks.Echo")
                .addMethod(STREAM, ServerCalls.asyncBidiStreamingCall(Echo::sendBack))
                .build();
        Server server = Server.builder()
                .http(0)
                .requestTimeout(Duration.ZERO)
                .maxRequestLength(0)
                .service(GrpcService.builder()
                        .addService(stream)
                        .useBlockingTaskExecutor(false)
                        .build())
                .service(
                        JSON,
                        (context, request) -> HttpResponse.of(request.aggregate()
                                .thenApply(body -> HttpResponse.of(
                                        HttpStatus.OK, MediaType.JSON, body.content()))))
                .build();
        server.start().join();
        return server;
    }

    private static StreamObserver<SessionRequest> sendBack(StreamObserver<SessionRequest> out) {
        return new StreamObserver<>() {
            @Override
            public void onNext(SessionRequest message) {
                out.onNext(message);
            }

            @Override
            public void onError(Throwable error) {}

            @Override
            public void onCompleted() {
                out.onCompleted();
            }
        };
    }
}
