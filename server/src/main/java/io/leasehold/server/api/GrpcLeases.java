// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.RequestMemory;
import io.leasehold.spi.Limits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operations as gRPC calls. Runs on event loops. */
public final class GrpcLeases extends LeasesGrpc.LeasesImplBase {

    private final Operations operations;
    private final Callers callers;
    private final Sessions sessions;

    public GrpcLeases(Operations operations, Callers callers, Sessions sessions) {
        this.operations = operations;
        this.callers = callers;
        this.sessions = sessions;
    }

    @Override
    public void acquire(AcquireRequest request, StreamObserver<AcquireReply> reply) {
        ServiceRequestContext context = ServiceRequestContext.current();
        extend(context, request);
        answer(context, reply, () -> operations.acquire(callers.departing(context), request));
    }

    /** Lets the request take as long as it wants to wait, if that can be read and is allowed. */
    private static void extend(ServiceRequestContext context, AcquireRequest request) {
        try {
            Duration wait = Limits.waiting(FromWire.duration(request.getWait()));
            if (!wait.isZero()) {
                context.setRequestTimeout(TimeoutMode.EXTEND, wait);
            }
        } catch (RuntimeException e) {
            return; // it will be refused
        }
    }

    @Override
    public void withdraw(AcquireRequest request, StreamObserver<EndReply> reply) {
        call(reply, caller -> operations.withdraw(caller, request));
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<RenewReply> reply) {
        call(reply, caller -> operations.renew(caller, request));
    }

    @Override
    public void rotate(RotateRequest request, StreamObserver<RotateReply> reply) {
        call(reply, caller -> operations.rotate(caller, request));
    }

    @Override
    public void release(ReleaseRequest request, StreamObserver<EndReply> reply) {
        call(reply, caller -> operations.release(caller, request));
    }

    @Override
    public void complete(CompleteRequest request, StreamObserver<EndReply> reply) {
        call(reply, caller -> operations.complete(caller, request));
    }

    @Override
    public void list(ListRequest request, StreamObserver<ListReply> reply) {
        ServiceRequestContext context = ServiceRequestContext.current();
        answer(context, reply, () -> operations.list(callers.departing(context), request));
    }

    @Override
    public void forceRelease(ForceReleaseRequest request, StreamObserver<EndReply> reply) {
        call(reply, caller -> operations.forceRelease(caller, request));
    }

    @Override
    public void check(CheckRequest request, StreamObserver<CheckReply> reply) {
        call(reply, caller -> operations.check(caller, request));
    }

    @Override
    public void admit(AdmitRequest request, StreamObserver<AdmitReply> reply) {
        call(reply, caller -> operations.admit(caller, request));
    }

    @Override
    public void seal(AdmitRequest request, StreamObserver<AdmitReply> reply) {
        call(reply, caller -> operations.seal(caller, request));
    }

    @Override
    public void info(InfoRequest request, StreamObserver<InfoReply> reply) {
        call(reply, caller -> operations.info(caller, request));
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<WatchReply> replies) {
        ServiceRequestContext context = ServiceRequestContext.current();
        context.clearRequestTimeout();
        try {
            Operations.Watch watch = operations.watch(callers.of(context), request);
            new WatchStream(
                            watch,
                            CallId.of(context),
                            (ServerCallStreamObserver<WatchReply>) replies,
                            context.eventLoop().withoutContext())
                    .start();
        } catch (RuntimeException e) {
            replies.onError(GrpcStatus.of(Failures.before(CallId.of(context), e)));
        }
    }

    @Override
    public StreamObserver<SessionRequest> session(StreamObserver<SessionReply> replies) {
        ServiceRequestContext context = ServiceRequestContext.current();
        context.clearRequestTimeout();
        try {
            Session session = new Session(
                    operations,
                    callers.of(context),
                    (ServerCallStreamObserver<SessionReply>) replies,
                    new Session.Surroundings(
                            context.eventLoop().withoutContext(),
                            RequestMemory.of(context),
                            sessions));
            session.start();
            return session;
        } catch (RuntimeException e) {
            replies.onError(GrpcStatus.of(Failures.before(CallId.of(context), e)));
            return new Deaf();
        }
    }

    /** Where a call leads that was refused before it began. */
    private static final class Deaf implements StreamObserver<SessionRequest> {
        @Override
        public void onNext(SessionRequest request) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }

    /** The status of an error that came from elsewhere than the operations. */
    public static Status unforeseen(
            RequestContext context, Status status, Throwable cause, Metadata trailers) {
        return GrpcStatus.unforeseen(CallId.of(context), status, cause, trailers);
    }

    private <T> void call(StreamObserver<T> reply, Function<Caller, CompletionStage<T>> call) {
        ServiceRequestContext context = ServiceRequestContext.current();
        answer(context, reply, () -> call.apply(callers.of(context)));
    }

    private static <T> void answer(
            ServiceRequestContext context,
            StreamObserver<T> reply,
            Supplier<CompletionStage<T>> call) {
        CallId id = CallId.of(context);
        CompletableFuture<T> stage;
        try {
            stage = call.get().toCompletableFuture();
        } catch (RuntimeException e) {
            reply.onError(GrpcStatus.of(Failures.before(id, e)));
            return;
        }
        if (stage.isDone()) {
            CompletionStage<T> unused =
                    stage.whenComplete((answer, failure) -> tell(id, reply, answer, failure));
            return;
        }
        // the answer may come in the midst of another request, which is not its place
        Executor loop = context.eventLoop().withoutContext();
        CompletionStage<T> unused = stage.whenComplete(
                (answer, failure) -> loop.execute(() -> tell(id, reply, answer, failure)));
    }

    private static <T> void tell(
            CallId call, StreamObserver<T> reply, @Nullable T answer, @Nullable Throwable failure) {
        if (failure != null) {
            reply.onError(GrpcStatus.of(Failures.ofChanging(call, failure)));
        } else if (answer != null) {
            reply.onNext(answer);
            reply.onCompleted();
        }
    }
}
