// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.grpc.GrpcSerializationFormats;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;

import io.grpc.Status;

import org.jspecify.annotations.Nullable;

/**
 * Answers gRPC requests that reach no method with a gRPC status in the headers of the response. The
 * HTTP status is 200, as gRPC demands. Leaves all other requests to the next handler.
 */
public final class GrpcErrorPages implements ServerErrorHandler {

    @Override
    public @Nullable HttpResponse onServiceException(
            ServiceRequestContext context, Throwable cause) {
        return null;
    }

    @Override
    public @Nullable AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext context,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        MediaType type = headers == null ? null : headers.contentType();
        if (type == null || !GrpcSerializationFormats.PROTO.isAccepted(type)) {
            return null;
        }
        return switch (status.code()) {
            case 404 ->
                page(Status.UNIMPLEMENTED.withDescription("this server has no such method"));
            case 413 -> page(GrpcStatus.of(GrpcStatus.tooLong()).getStatus());
            default -> null;
        };
    }

    private static AggregatedHttpResponse page(Status status) {
        return AggregatedHttpResponse.of(ResponseHeaders.builder(HttpStatus.OK)
                .contentType(GrpcSerializationFormats.PROTO.mediaType())
                .setInt("grpc-status", status.getCode().value())
                .set("grpc-message", String.valueOf(status.getDescription()))
                .endOfStream(true)
                .build());
    }
}
