// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.server.ServiceRequestContext;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.leasehold.server.access.Principal;

import java.util.Objects;

/** Refuses calls of nobody that is known, before a message of theirs is read. Thread-safe. */
public final class GrpcEntrance implements ServerInterceptor {

    private final Callers callers;

    public GrpcEntrance(Callers callers) {
        this.callers = callers;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        ServiceRequestContext context = ServiceRequestContext.current();
        try {
            Principal unused = callers.principal(context);
        } catch (RuntimeException e) {
            StatusRuntimeException refusal = GrpcStatus.of(Failures.before(CallId.of(context), e));
            call.close(
                    refusal.getStatus(),
                    Objects.requireNonNullElseGet(refusal.getTrailers(), Metadata::new));
            return new ServerCall.Listener<>() {};
        }
        return next.startCall(call, headers);
    }
}
