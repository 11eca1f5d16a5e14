// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.server.ServiceRequestContext;

import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.v1.AdministrationGrpc;
import io.leasehold.protocol.v1.CreateTokenReply;
import io.leasehold.protocol.v1.CreateTokenRequest;
import io.leasehold.protocol.v1.ListTokensReply;
import io.leasehold.protocol.v1.ListTokensRequest;
import io.leasehold.protocol.v1.RevokeTokenReply;
import io.leasehold.protocol.v1.RevokeTokenRequest;
import io.leasehold.server.access.TokenAdministration;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The administration as gRPC calls. Runs on event loops. */
public final class GrpcAdministration extends AdministrationGrpc.AdministrationImplBase {

    private final TokenAdministration administration;
    private final Callers callers;

    public GrpcAdministration(TokenAdministration administration, Callers callers) {
        this.administration = administration;
        this.callers = callers;
    }

    @Override
    public void createToken(CreateTokenRequest request, StreamObserver<CreateTokenReply> reply) {
        call(reply, caller -> administration.createToken(caller, request));
    }

    @Override
    public void listTokens(ListTokensRequest request, StreamObserver<ListTokensReply> reply) {
        call(reply, caller -> administration.listTokens(caller, request));
    }

    @Override
    public void revokeToken(RevokeTokenRequest request, StreamObserver<RevokeTokenReply> reply) {
        call(reply, caller -> administration.revokeToken(caller, request));
    }

    private <T> void call(StreamObserver<T> reply, Function<Caller, CompletionStage<T>> call) {
        ServiceRequestContext context = ServiceRequestContext.current();
        CallId id = CallId.of(context);
        CompletionStage<T> stage;
        try {
            stage = call.apply(callers.of(context));
        } catch (RuntimeException e) {
            reply.onError(GrpcStatus.of(Failures.before(id, e)));
            return;
        }
        CompletionStage<T> unused = stage.whenComplete((answer, failure) -> {
            if (failure != null) {
                reply.onError(GrpcStatus.of(Failures.ofChanging(id, failure)));
            } else {
                reply.onNext(answer);
                reply.onCompleted();
            }
        });
    }
}
