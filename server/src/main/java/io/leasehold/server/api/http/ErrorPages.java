// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.TimeoutException;
import com.linecorp.armeria.common.logging.RequestLogProperty;
import com.linecorp.armeria.common.stream.ClosedStreamException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpResponseException;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.leasehold.server.api.CallId;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is answered where no route is reached, or a route did not end well. Not for gRPC. */
final class ErrorPages implements ServerErrorHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ErrorPages.class);

    /** What many write for the list. */
    private static final Pattern SINGULAR = Pattern.compile("/v1/lease(\\?.*)?");

    private final Answers answers;

    ErrorPages(Answers answers) {
        this.answers = answers;
    }

    @Override
    public @Nullable HttpResponse onServiceException(
            ServiceRequestContext context, Throwable cause) {
        CallId call = CallId.of(context);
        log(call, cause);
        if (isGrpc(context.request().headers())) {
            return null;
        }
        if (cause instanceof RequestTimeoutException) {
            return answers.problem(
                    context,
                    context.log().isAvailable(RequestLogProperty.REQUEST_END_TIME)
                            ? Problem.timedOut()
                            : problem(call, HttpStatus.REQUEST_TIMEOUT, null));
        }
        return null;
    }

    /** A line for what a client did, and all that is known of what the server did. */
    private static void log(CallId call, Throwable cause) {
        if (isTooLarge(cause)) {
            LOG.warn("request {} refused: its body is longer than the server takes", call);
        } else if (!isOrdinary(cause)) {
            LOG.error("request {} failed with an internal error", call, cause);
        }
    }

    private static boolean isTooLarge(Throwable cause) {
        return cause instanceof ContentTooLargeException
                || (cause instanceof HttpStatusException status
                        && status.httpStatus().equals(HttpStatus.REQUEST_ENTITY_TOO_LARGE));
    }

    /** The answer says it all, or nobody is there to hear one. */
    private static boolean isOrdinary(Throwable cause) {
        return cause instanceof HttpStatusException
                || cause instanceof HttpResponseException
                || cause instanceof TimeoutException
                || cause instanceof CancellationException
                || cause instanceof ClosedStreamException
                || Exceptions.isExpected(cause);
    }

    @Override
    public @Nullable AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext context,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        CallId call = CallId.of(context, headers);
        return isGrpc(headers) ? null : answers.problem(call, problem(call, status, headers), null);
    }

    private static Problem problem(
            CallId call, HttpStatus status, @Nullable RequestHeaders headers) {
        return switch (status.code()) {
            case 400 -> Problem.invalid("This is not a request that can be read.");
            case 404 ->
                Problem.of(status, "NO_SUCH_ROUTE", "There is nothing here", where(headers));
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
            case 500 -> Problem.internal(call);
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

    private static String where(@Nullable RequestHeaders headers) {
        return headers != null && SINGULAR.matcher(headers.path()).matches()
                ? "What is held at a scope is at /v1/leases?overlapping=SCOPE."
                : "See /docs for what there is.";
    }

    private static boolean isGrpc(@Nullable RequestHeaders headers) {
        MediaType type = headers == null ? null : headers.contentType();
        return type != null && type.subtype().startsWith("grpc");
    }
}
