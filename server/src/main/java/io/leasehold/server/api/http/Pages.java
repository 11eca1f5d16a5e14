// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Health;

import java.nio.charset.StandardCharsets;

/** What there is besides the operations. Health is for everybody, the rest is not. */
final class Pages {

    private static final String FRONT = """
            Leasehold: leases with fencing tokens.

            This server speaks gRPC and JSON over HTTP on this port.

              /docs                  every call, its fields and its errors
              /docs/leasehold.proto  the protocol, to generate a client from
              /health/live           whether it answers
              /health/ready          whether it takes work
              /metrics               for Prometheus

            A lock, from a shell:

              curl -d '{"scopes":["name:orders"]}' http://ADDRESS/v1/acquire
              curl http://ADDRESS/v1/leases
            """;

    private static final MediaType PROMETHEUS =
            MediaType.parse("text/plain; version=0.0.4; charset=utf-8");

    private static final ResponseHeaders WELL = ResponseHeaders.builder(HttpStatus.OK)
            .contentType(MediaType.JSON)
            .add(Answers.SAFE)
            .build();

    private static final HttpHeaders NOTHING_MORE = HttpHeaders.of();

    private final HttpSettings settings;
    private final Answers answers;
    private final HttpData docs;
    private final HttpHeaders docsHeaders;
    private final HttpData protocol;

    Pages(HttpSettings settings, Answers answers) {
        this.settings = settings;
        this.answers = answers;
        Protocol described = Protocol.load();
        docs = HttpData.ofUtf8(DocsPage.html(described));
        docsHeaders = HttpHeaders.of(
                HttpHeaderNames.CONTENT_SECURITY_POLICY, DocsPage.contentSecurityPolicy());
        protocol = HttpData.wrap(described.source().toByteArray());
    }

    HttpResponse front(ServiceRequestContext context, HttpRequest request) {
        identify(context);
        String authority = request.authority();
        String text = FRONT.replace("ADDRESS", authority == null ? "localhost" : authority);
        return Answers.page(MediaType.PLAIN_TEXT_UTF_8, HttpData.ofUtf8(text), NOTHING_MORE);
    }

    HttpResponse docs(ServiceRequestContext context, HttpRequest request) {
        identify(context);
        return Answers.page(MediaType.HTML_UTF_8, docs, docsHeaders);
    }

    HttpResponse protocol(ServiceRequestContext context, HttpRequest request) {
        identify(context);
        return Answers.page(MediaType.PLAIN_TEXT_UTF_8, protocol, NOTHING_MORE);
    }

    /** The process answers; for those who would start it again if it did not. */
    HttpResponse live(ServiceRequestContext context, HttpRequest request) {
        return HttpResponse.of(WELL, HttpData.ofUtf8("{\"status\":\"ALIVE\"}"));
    }

    /** Leases are granted; for those who would send requests elsewhere if they were not. */
    HttpResponse ready(ServiceRequestContext context, HttpRequest request) {
        return HttpResponse.of(settings.health().get().thenApply(health -> ready(context, health)));
    }

    private HttpResponse ready(ServiceRequestContext context, Health health) {
        return switch (health) {
            case SERVING -> HttpResponse.of(WELL, HttpData.ofUtf8("{\"status\":\"SERVING\"}"));
            case STOPPING -> notNow(context, "The server is stopping.");
            case STORE_UNAVAILABLE ->
                notNow(
                        context,
                        "The store grants nothing at the moment; the server's log says why.");
        };
    }

    private HttpResponse notNow(ServiceRequestContext context, String why) {
        return answers.problem(
                context,
                Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "UNAVAILABLE",
                        "Not now; nothing happened",
                        why));
    }

    HttpResponse metrics(ServiceRequestContext context, HttpRequest request) {
        if (!settings.callers().apply(context).mayEverywhere(Permission.ADMIN)) {
            throw new CallFailedException(Failure.newBuilder()
                    .setKind(Failure.Kind.PERMISSION_DENIED)
                    .setMessage("Metrics are for those who administer all namespaces.")
                    .build());
        }
        return HttpResponse.of(
                () -> Answers.page(
                        PROMETHEUS,
                        HttpData.wrap(settings.meters().scrape().getBytes(StandardCharsets.UTF_8)),
                        NOTHING_MORE),
                context.blockingTaskExecutor());
    }

    /** Anybody will do, but somebody it must be. */
    private void identify(ServiceRequestContext context) {
        Principal unused = settings.callers().apply(context);
    }
}
