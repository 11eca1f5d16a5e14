// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.common.ExchangeType;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.RoutingContext;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.SimpleDecoratingHttpService;
import com.linecorp.armeria.server.grpc.GrpcService;

import io.leasehold.server.api.BoundedRequests;
import io.leasehold.server.api.GrpcAdministration;
import io.leasehold.server.api.GrpcEntrance;
import io.leasehold.server.api.GrpcErrorPages;
import io.leasehold.server.api.GrpcLeases;

/** The operations over gRPC, in protobuf alone. */
final class GrpcPart implements ServerPart {

    @Override
    public void addTo(ServerBuilder server, Parts parts) {
        GrpcService service = GrpcService.builder()
                .addService(BoundedRequests.of(
                        new GrpcLeases(parts.operations(), parts.callers(), parts.sessions())))
                .addService(BoundedRequests.of(
                        new GrpcAdministration(parts.administration(), parts.callers())))
                .intercept(new GrpcEntrance(parts.callers()))
                .maxRequestMessageLength(parts.options().limits().bodyBytes())
                // its JSON is parsed before anybody is asked who they are, at any length
                .supportedSerializationFormats(GrpcSerializationFormats.PROTO)
                .useBlockingTaskExecutor(false)
                .exceptionHandler((context, status, cause, trailers) ->
                        GrpcLeases.unforeseen(context, status, cause, trailers))
                .build();
        server.service(service, GrpcPart::boundedByMessage);
        server.errorHandler(new GrpcErrorPages());
    }

    /**
     * Messages are bounded; streams of them have no length. Requests come in as streams, so that
     * one that does not end is seen before it has.
     */
    private static HttpService boundedByMessage(HttpService service) {
        return new SimpleDecoratingHttpService(service) {
            @Override
            public ExchangeType exchangeType(RoutingContext context) {
                return ExchangeType.BIDI_STREAMING;
            }

            @Override
            public HttpResponse serve(ServiceRequestContext context, HttpRequest request)
                    throws Exception {
                context.setMaxRequestLength(0);
                return unwrap().serve(context, request);
            }
        };
    }
}
