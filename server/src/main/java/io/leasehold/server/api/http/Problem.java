// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.linecorp.armeria.common.HttpStatus;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.server.api.CallId;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was not done, for programs and for people (RFC 9457).
 *
 * @param status the status code
 * @param reason for programs, such as HELD
 * @param title the reason in words, always the same
 * @param detail what was refused here, why, and what to do
 * @param more what else is told
 */
record Problem(HttpStatus status, String reason, String title, String detail, More more) {

    private static final More NOTHING = new More(null, null, null);

    /**
     * What else a problem tells.
     *
     * @param reply the reply of a refused operation
     * @param failure the failure of one without a reply
     * @param leaseId the id that was minted for an acquire of which nobody knows what became
     */
    record More(
            @Nullable Message reply,
            @Nullable Failure failure,
            @Nullable String leaseId) {}

    static Problem of(HttpStatus status, String reason, String title, String detail) {
        return new Problem(status, reason, title, detail, NOTHING);
    }

    static Problem invalid(String detail) {
        return of(HttpStatus.BAD_REQUEST, "INVALID", "The request breaks a rule", detail);
    }

    static Problem of(Failure failure) {
        HttpStatus status = switch (failure.getKind()) {
            case INVALID -> HttpStatus.BAD_REQUEST;
            case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED;
            case PERMISSION_DENIED -> HttpStatus.FORBIDDEN;
            case LIMIT_EXCEEDED -> HttpStatus.TOO_MANY_REQUESTS;
            case UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
            case OUTCOME_UNKNOWN, FAILURE_UNSPECIFIED, UNRECOGNIZED -> HttpStatus.GATEWAY_TIMEOUT;
        };
        String title = switch (failure.getKind()) {
            case INVALID -> "The request breaks a rule";
            case UNAUTHENTICATED -> "Who is asking?";
            case PERMISSION_DENIED -> "Not for this caller";
            case LIMIT_EXCEEDED -> "A limit was reached";
            case UNAVAILABLE -> "Not now; nothing happened";
            case OUTCOME_UNKNOWN, FAILURE_UNSPECIFIED, UNRECOGNIZED ->
                "It may or may not have happened";
        };
        return of(status, failure.getKind().name(), title, failure.getMessage())
                .with(new More(null, failure, null));
    }

    /** A refusal by the store, with the reply that says so. */
    static Problem refused(Reason reason, String detail, Message reply) {
        HttpStatus status = switch (reason) {
            case NOT_FOUND -> HttpStatus.NOT_FOUND;
            case EXPIRED -> HttpStatus.GONE;
            default -> HttpStatus.CONFLICT;
        };
        String title = switch (reason) {
            case NOT_FOUND -> "There is no such lease";
            case NOT_HOLDER -> "Someone else holds it now";
            case TOKEN_MISMATCH -> "There is a newer grant";
            case EXPIRED -> "The lease has expired";
            case VERSION_MISMATCH -> "The lease is at another version";
            case SCOPE_MISMATCH -> "The lease is on other scopes";
            case REASON_UNSPECIFIED, UNRECOGNIZED -> "Refused";
        };
        return of(status, reason.name(), title, detail).with(new More(reply, null, null));
    }

    static Problem timedOut() {
        return of(
                HttpStatus.GATEWAY_TIMEOUT,
                "OUTCOME_UNKNOWN",
                "It may or may not have happened",
                "The store did not answer in time: repeat the request with the same lease id.");
    }

    static Problem internal(CallId call) {
        return of(
                HttpStatus.INTERNAL_SERVER_ERROR,
                "INTERNAL",
                "The server failed",
                "An internal error; the server's log says why, at request " + call
                        + ". What was asked for may or may not have happened.");
    }

    /** After how many seconds another try may succeed; 0 if waiting is no help. */
    long retryAfterSeconds() {
        if (more.reply() instanceof AcquireReply acquired && acquired.hasHeld()) {
            Duration remaining = acquired.getHeld().getRemaining();
            return Math.max(1, remaining.getSeconds() + (remaining.getNanos() > 0 ? 1 : 0));
        }
        return status.equals(HttpStatus.SERVICE_UNAVAILABLE)
                        || status.equals(HttpStatus.TOO_MANY_REQUESTS)
                ? 1
                : 0;
    }

    Problem with(More others) {
        return new Problem(status, reason, title, detail, others);
    }

    void write(Json json, JsonGenerator generator, CallId call) throws IOException {
        generator.writeStartObject();
        generator.writeStringField(
                "type", "urn:leasehold:" + reason.toLowerCase(Locale.ROOT).replace('_', '-'));
        generator.writeStringField("title", title);
        generator.writeNumberField("status", status.code());
        generator.writeStringField("detail", detail);
        generator.writeStringField("reason", reason);
        generator.writeStringField("requestId", call.toString());
        if (more.failure() != null && !more.failure().getLimit().isEmpty()) {
            generator.writeStringField("limit", more.failure().getLimit());
            generator.writeStringField(
                    "limitValue", Long.toString(more.failure().getLimitValue()));
        }
        if (more.leaseId() != null) {
            generator.writeStringField("leaseId", more.leaseId());
        }
        if (more.reply() != null) {
            generator.writeFieldName("reply");
            json.write(more.reply(), generator);
        }
        generator.writeEndObject();
    }
}
