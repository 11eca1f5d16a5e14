// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.ExchangeType;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.RoutingContext;
import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.server.api.CallId;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A path with what is behind each of its verbs. HEAD is a GET without the body, OPTIONS tells the
 * verbs and nothing to scripts of other sites. Bodies come in as streams, so that a request can be
 * refused before anything of its body is kept.
 */
final class RouteService implements HttpService {

    private final Map<HttpMethod, Verb> verbs;
    private final Answers answers;
    private final ExchangeType exchange;
    private final String allowed;

    RouteService(Map<HttpMethod, Verb> verbs, Answers answers, ExchangeType exchange) {
        this.verbs = new EnumMap<>(verbs);
        this.answers = answers;
        this.exchange = exchange;
        if (verbs.containsKey(HttpMethod.GET)) {
            this.verbs.put(HttpMethod.HEAD, verbs.get(HttpMethod.GET));
        }
        this.allowed = this.verbs.keySet().stream()
                        .map(Enum::name)
                        .sorted()
                        .collect(Collectors.joining(", "))
                + ", OPTIONS";
    }

    /** What is behind a verb. */
    @FunctionalInterface
    interface Verb {
        HttpResponse serve(ServiceRequestContext context, HttpRequest request)
                throws MalformedException;
    }

    @Override
    public ExchangeType exchangeType(RoutingContext routing) {
        return exchange;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
        Verb verb = verbs.get(request.method());
        if (verb != null) {
            return serve(verb, context, request);
        }
        if (request.method() == HttpMethod.OPTIONS) {
            return HttpResponse.of(ResponseHeaders.builder(HttpStatus.NO_CONTENT)
                    .set(HttpHeaderNames.ALLOW, allowed)
                    .add(Answers.SAFE)
                    .build());
        }
        return answers.problem(
                        CallId.of(context),
                        Problem.of(
                                HttpStatus.METHOD_NOT_ALLOWED,
                                "METHOD_NOT_ALLOWED",
                                "Not with this method",
                                context.path() + " knows " + allowed + "."),
                        allowed)
                .toHttpResponse();
    }

    private HttpResponse serve(Verb verb, ServiceRequestContext context, HttpRequest request) {
        try {
            return verb.serve(context, request);
        } catch (MalformedException | RuntimeException e) {
            if (!request.whenComplete().isDone() && !context.sessionProtocol().isMultiplex()) {
                // nothing can follow before the rest of the body, which nobody wants
                context.setAdditionalResponseHeader(HttpHeaderNames.CONNECTION, "close");
            }
            return answers.failed(context, e);
        }
    }
}
