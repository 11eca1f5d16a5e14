// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.Message;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Principal;
import io.leasehold.server.api.CallId;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Delivery;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A unary call: query or body to message, the operation, message to body. On the event loop. */
final class UnaryVerb<Q extends Message, R extends Message> implements RouteService.Verb {

    /** What a request may take on top of the wait that it asks for. */
    static final Duration SLACK = Duration.ofSeconds(30);

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    private final Endpoint<Q, R> endpoint;
    private final Q prototype;
    private final Function<ServiceRequestContext, Principal> callers;
    private final Json json;
    private final Answers answers;
    private final @Nullable Supplier<String> leaseIds;

    /** With a source of lease ids for requests that come without, if the operation makes leases. */
    UnaryVerb(
            Endpoint<Q, R> endpoint,
            Function<ServiceRequestContext, Principal> callers,
            Json json,
            @Nullable Supplier<String> leaseIds) {
        this.endpoint = endpoint;
        this.prototype = endpoint.requestPrototype();
        this.callers = callers;
        this.json = json;
        this.answers = new Answers(json);
        this.leaseIds = leaseIds;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request)
            throws MalformedException {
        Caller caller = caller(context); // before anything is kept of what it sends
        if (endpoint.verb() == HttpMethod.GET) {
            Message.Builder message = prototype.newBuilderForType();
            QueryParameters.read(context.queryParams(), message);
            return call(context, caller, message, null);
        }
        Problem refusal = MediaTypes.refusal(request.headers());
        if (refusal != null) {
            return answers.problem(context, refusal);
        }
        if (context.query() != null) {
            throw new MalformedException(
                    "A POST takes its fields in the body, not in the address.");
        }
        CompletableFuture<AggregatedHttpRequest> whole = request.aggregate();
        return whole.isDone() && !whole.isCompletedExceptionally()
                ? serve(context, caller, whole.join().content())
                : HttpResponse.of(whole.thenApply(body -> serve(context, caller, body.content())));
    }

    private HttpResponse serve(ServiceRequestContext context, Caller caller, HttpData body) {
        try {
            Message.Builder message = prototype.newBuilderForType();
            json.read(body.array(), message);
            String minted = null;
            if (message instanceof AcquireRequest.Builder acquire && leaseIds != null) {
                minted = prepare(context, acquire, leaseIds);
            }
            return call(context, caller, message, minted);
        } catch (MalformedException | RuntimeException e) {
            return answers.failed(context, e);
        }
    }

    private Caller caller(ServiceRequestContext context) {
        return new Caller(callers.apply(context), Delivery.of(context), CallId.of(context));
    }

    private HttpResponse call(
            ServiceRequestContext context,
            Caller caller,
            Message.Builder message,
            @Nullable String minted) {
        // Built from the prototype of just this type.
        @SuppressWarnings("unchecked")
        Q request = (Q) message.build();
        CompletableFuture<R> reply = endpoint.call().apply(caller, request).toCompletableFuture();
        if (reply.isDone() && !reply.isCompletedExceptionally()) {
            return answers.reply(context, reply.join());
        }
        return HttpResponse.of(reply.handleAsync(
                (done, thrown) -> thrown == null
                        ? answers.reply(context, done)
                        : failed(context, thrown, minted),
                context.eventLoop()));
    }

    private HttpResponse failed(
            ServiceRequestContext context, Throwable thrown, @Nullable String minted) {
        Problem problem = Answers.explain(context, thrown);
        if (minted != null && problem.reason().equals(Failure.Kind.OUTCOME_UNKNOWN.name())) {
            problem = problem.with(new Problem.More(null, problem.more().failure(), minted));
        }
        return answers.problem(context, problem);
    }

    /** Gives the request an id if it has none, and the time that it wants to wait. */
    private static @Nullable String prepare(
            ServiceRequestContext context,
            AcquireRequest.Builder acquire,
            Supplier<String> leaseIds) {
        if (acquire.hasWait()) {
            long seconds = acquire.getWait().getSeconds();
            long within = Math.max(0, Math.min(seconds, LONGEST_WAIT.toSeconds())) + 1;
            context.setRequestTimeout(TimeoutMode.SET_FROM_NOW, SLACK.plusSeconds(within));
        }
        if (!acquire.getLeaseId().isEmpty()) {
            return null;
        }
        String minted = leaseIds.get();
        acquire.setLeaseId(minted);
        return minted;
    }
}
