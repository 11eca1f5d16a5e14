// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.Message;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.CallId;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Replies and problems as responses. Thread-safe. */
final class Answers {

    private static final Logger LOGGER = LoggerFactory.getLogger(Answers.class);

    static final MediaType PROBLEM = MediaType.create("application", "problem+json");

    /** Replies may carry a lease id, and are true for a moment only: nobody may keep them. */
    static final HttpHeaders SAFE = HttpHeaders.of(
            HttpHeaderNames.CACHE_CONTROL, "no-store",
            HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff");

    private static final ResponseHeaders DONE = ResponseHeaders.builder(HttpStatus.OK)
            .contentType(MediaType.JSON)
            .add(SAFE)
            .build();

    private final Json json;

    Answers(Json json) {
        this.json = json;
    }

    /** The reply, or the problem that it tells of. */
    HttpResponse reply(ServiceRequestContext context, Message reply) {
        Problem problem = Outcomes.problem(reply);
        return problem == null
                ? HttpResponse.of(DONE, HttpData.wrap(json.write(reply)))
                : problem(context, problem);
    }

    /** What a caller is told of an exception. */
    HttpResponse failed(ServiceRequestContext context, Throwable thrown) {
        return problem(context, explain(context, thrown));
    }

    static Problem explain(ServiceRequestContext context, Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (cause instanceof MalformedException malformed) {
            return Problem.invalid(String.valueOf(malformed.getMessage()));
        }
        if (cause instanceof CallFailedException failed) {
            return Problem.of(failed.failure());
        }
        CallId call = CallId.of(context);
        LOGGER.error("request {} failed with an internal error", call, cause);
        return Problem.internal(call);
    }

    HttpResponse problem(ServiceRequestContext context, Problem problem) {
        return problem(CallId.of(context), problem, null).toHttpResponse();
    }

    /** A problem, with the methods that are allowed in place of the one that was tried. */
    AggregatedHttpResponse problem(CallId call, Problem problem, @Nullable String allowed) {
        ResponseHeadersBuilder headers =
                ResponseHeaders.builder(problem.status()).contentType(PROBLEM).add(SAFE);
        headers.set(CallId.HEADER, call.request());
        if (allowed != null) {
            headers.set(HttpHeaderNames.ALLOW, allowed);
        }
        if (problem.status().equals(HttpStatus.UNAUTHORIZED)) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        if (problem.retryAfterSeconds() > 0) {
            headers.setLong(HttpHeaderNames.RETRY_AFTER, problem.retryAfterSeconds());
        }
        byte[] body = json.write(generator -> problem.write(json, generator, call));
        return AggregatedHttpResponse.of(headers.build(), HttpData.wrap(body));
    }

    /** A page or text that is the same for everybody. */
    static HttpResponse page(MediaType type, HttpData content, HttpHeaders more) {
        return HttpResponse.of(
                ResponseHeaders.builder(HttpStatus.OK)
                        .contentType(type)
                        .add(SAFE)
                        .add(more)
                        .build(),
                content);
    }
}
