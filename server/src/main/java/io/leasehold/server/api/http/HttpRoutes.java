// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.Message;
import com.linecorp.armeria.common.ExchangeType;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.server.ServerBuilder;

import io.grpc.MethodDescriptor;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Operations;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * All that the server answers over plain HTTP: the operations as JSON, the watch, health, metrics,
 * the description of the interface. Made once, when the server is.
 */
public final class HttpRoutes {

    /** The longest body. */
    public static final int MAX_BODY = 256 * 1024;

    private final Operations operations;
    private final HttpSettings settings;
    private final List<Endpoint<?, ?>> endpoints;

    private HttpRoutes(
            Operations operations, HttpSettings settings, List<Endpoint<?, ?>> endpoints) {
        this.operations = operations;
        this.settings = settings;
        this.endpoints = endpoints;
    }

    /** Routes to these operations. */
    public static HttpRoutes of(Operations operations, HttpSettings settings) {
        return new HttpRoutes(operations, settings, Endpoints.of(operations));
    }

    /** The same with one more method of the protocol, which has its route in its annotation. */
    public <Q extends Message, R extends Message> HttpRoutes with(
            MethodDescriptor<Q, R> method, BiFunction<Caller, Q, CompletionStage<R>> call) {
        List<Endpoint<?, ?>> more = new ArrayList<>(endpoints);
        more.add(Endpoint.of(method, call));
        return new HttpRoutes(operations, settings, List.copyOf(more));
    }

    /** Adds the routes and the error pages to a server. */
    public void register(ServerBuilder server) {
        Json json = json();
        Answers answers = new Answers(json);
        Map<String, Map<HttpMethod, RouteService.Verb>> paths = new TreeMap<>();
        for (Endpoint<?, ?> endpoint : endpoints) {
            paths.computeIfAbsent(endpoint.path(), path -> new EnumMap<>(HttpMethod.class))
                    .put(endpoint.verb(), unary(endpoint, json));
        }
        Pages pages = new Pages(settings, answers);
        paths.put("/", get(pages::front));
        paths.put("/docs", get(pages::docs));
        paths.put("/docs/leasehold.proto", get(pages::protocol));
        paths.put("/health", get(pages::ready));
        paths.put("/health/ready", get(pages::ready));
        paths.put("/health/live", get(pages::live));
        paths.put("/metrics", get(pages::metrics));
        paths.forEach((path, verbs) -> bind(
                server, path, new RouteService(verbs, answers, ExchangeType.REQUEST_STREAMING)));
        bind(server, Endpoint.watchPath(), watch(json, answers));
        server.errorHandler(new ErrorPages(answers));
        server.decorator(new HostCheck(answers, settings.strangers()));
    }

    /** The methods that have a route here. */
    List<Endpoint<?, ?>> endpoints() {
        return endpoints;
    }

    private RouteService watch(Json json, Answers answers) {
        WatchVerb verb = new WatchVerb(operations, settings.callers(), json, settings.time());
        return new RouteService(get(verb), answers, ExchangeType.BIDI_STREAMING);
    }

    private <Q extends Message, R extends Message> UnaryVerb<Q, R> unary(
            Endpoint<Q, R> endpoint, Json json) {
        boolean grants = endpoint.method().equals(LeasesGrpc.getAcquireMethod());
        return new UnaryVerb<>(
                endpoint,
                settings.callers(),
                json,
                grants ? new LeaseIds(settings.random()) : null);
    }

    private Json json() {
        List<Message> prototypes = new ArrayList<>();
        for (Endpoint<?, ?> endpoint : endpoints) {
            prototypes.add(endpoint.requestPrototype());
            prototypes.add(endpoint.replyPrototype());
        }
        prototypes.add(WatchReply.getDefaultInstance());
        prototypes.add(Failure.getDefaultInstance());
        return new Json(prototypes);
    }

    private static Map<HttpMethod, RouteService.Verb> get(RouteService.Verb verb) {
        return Map.of(HttpMethod.GET, verb);
    }

    private static void bind(ServerBuilder server, String path, RouteService service) {
        server.route()
                .path("exact:" + path)
                .maxRequestLength(MAX_BODY)
                .requestTimeout(UnaryVerb.SLACK)
                .build(service);
    }
}
