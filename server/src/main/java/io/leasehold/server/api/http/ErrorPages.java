// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.logging.RequestLogProperty;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;

import org.jspecify.annotations.Nullable;

/** What is answered where no route is reached, or a route did not end well. Not for gRPC. */
final class ErrorPages implements ServerErrorHandler {

    private final Answers answers;

    ErrorPages(Answers answers) {
        this.answers = answers;
    }

    @Override
    public @Nullable HttpResponse onServiceException(
            ServiceRequestContext context, Throwable cause) {
        if (isGrpc(context.request().headers())) {
            return null;
        }
        if (cause instanceof RequestTimeoutException) {
            return answers.problem(
                    context.log().isAvailable(RequestLogProperty.REQUEST_END_TIME)
                            ? Problem.timedOut()
                            : problem(HttpStatus.REQUEST_TIMEOUT));
        }
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
        return isGrpc(headers) ? null : answers.problem(problem(status), null);
    }

    private static Problem problem(HttpStatus status) {
        return switch (status.code()) {
            case 400 -> Problem.invalid("This is not a request that can be read.");
            case 404 ->
                Problem.of(
                        status,
                        "NO_SUCH_ROUTE",
                        "There is nothing here",
                        "See /docs for what there is.");
            case 405 ->
                Problem.of(
                        status,
                        "METHOD_NOT_ALLOWED",
                        "Not with this method",
                        "See /docs for what there is.");
            case 408 ->
                Problem.of(
                        status,
                        "REQUEST_TIMEOUT",
                        "Too slow",
                        "The request did not arrive in time. Nothing happened.");
            case 413 ->
                Problem.of(
                        status,
                        "TOO_LARGE",
                        "The body is too large",
                        "A body has at most " + HttpRoutes.MAX_BODY + " bytes.");
            case 414, 431 ->
                Problem.of(
                        status,
                        "TOO_LARGE",
                        "The header is too large",
                        "The address or the header is longer than the server takes.");
            case 500 -> Problem.internal();
            case 503 ->
                Problem.of(
                        status,
                        "UNAVAILABLE",
                        "Not now; nothing happened",
                        "The server is stopping, or has too much to do: try again.");
            default ->
                Problem.of(
                        status,
                        status.reasonPhrase().toUpperCase(java.util.Locale.ROOT).replace(' ', '_'),
                        status.reasonPhrase(),
                        "The request was not carried out.");
        };
    }

    private static boolean isGrpc(@Nullable RequestHeaders headers) {
        MediaType type = headers == null ? null : headers.contentType();
        return type != null && type.subtype().startsWith("grpc");
    }
}
