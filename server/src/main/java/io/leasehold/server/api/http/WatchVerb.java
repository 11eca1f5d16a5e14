// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.server.access.Principal;
import io.leasehold.server.api.CallId;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Operations;
import io.leasehold.spi.Time;

import java.util.function.Function;

/** The watch as server-sent events, taken up where a browser's EventSource left off. */
final class WatchVerb implements RouteService.Verb {

    private static final CharSequence LAST_EVENT_ID = HttpHeaderNames.of("last-event-id");

    private static final ResponseHeaders STREAM = ResponseHeaders.builder(HttpStatus.OK)
            .contentType(MediaType.EVENT_STREAM)
            .add(Answers.SAFE)
            .build();

    private final Operations operations;
    private final Function<ServiceRequestContext, Principal> callers;
    private final Json json;
    private final Time time;

    WatchVerb(
            Operations operations,
            Function<ServiceRequestContext, Principal> callers,
            Json json,
            Time time) {
        this.operations = operations;
        this.callers = callers;
        this.json = json;
        this.time = time;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request)
            throws MalformedException {
        Caller caller =
                new Caller(callers.apply(context), Departure.early(context), CallId.of(context));
        WatchRequest.Builder message = WatchRequest.newBuilder();
        QueryParameters.read(context.queryParams(), message);
        String last = request.headers().get(LAST_EVENT_ID);
        if (last != null) {
            message.setAfter(last);
        }
        Operations.Watch watch = operations.watch(caller, message.build());
        if (request.method() == HttpMethod.HEAD) {
            watch.close();
            return HttpResponse.of(STREAM);
        }
        context.clearRequestTimeout();
        HttpResponseWriter response = HttpResponse.streaming();
        response.write(STREAM);
        new EventStream(watch, response, context.eventLoop(), json).begin(time);
        return response;
    }
}
