// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Failure;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What callers are told of what went wrong. The words of a store are its operator's to read, because
 * there may be paths, addresses and classes in them: they are logged here, once, with the id of the
 * call, and the caller is told that id.
 */
public final class Failures {

    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final String LOG_SAYS_WHY = "; the server's log says why, at request ";
    private static final int DEEPEST = 16;

    private Failures() {}

    /** A failure of this kind. */
    public static CallFailedException of(Failure.Kind kind, String message) {
        return new CallFailedException(
                Failure.newBuilder().setKind(kind).setMessage(message).build());
    }

    /** Nobody said who they are, or it was not believed. */
    public static CallFailedException unauthenticated() {
        return of(
                Failure.Kind.UNAUTHENTICATED,
                "who is asking? Send a valid bearer token in the header Authorization, or a client"
                        + " certificate");
    }

    /** A limit was reached before anything happened. */
    public static CallFailedException limit(String limit, long maximum, String message) {
        return new CallFailedException(Failure.newBuilder()
                .setKind(Failure.Kind.LIMIT_EXCEEDED)
                .setMessage(message)
                .setLimit(limit)
                .setLimitValue(maximum)
                .build());
    }

    /** An outcome that the server does not know, in words for the caller. Nothing of it is logged. */
    static OutcomeUnknownException unknown(String message) {
        return new OutcomeUnknownException(message, of(Failure.Kind.OUTCOME_UNKNOWN, message));
    }

    /**
     * What is told of an error that came before anything was asked of a store. An {@link
     * IllegalArgumentException} there is about the request, in words for its sender.
     */
    public static CallFailedException before(CallId call, Throwable error) {
        return error instanceof IllegalArgumentException
                ? of(Failure.Kind.INVALID, String.valueOf(error.getMessage()))
                : of(call, error, Failure.Kind.UNAVAILABLE);
    }

    /** What is told of an error with which a call that only reads ended. */
    public static CallFailedException ofReading(CallId call, Throwable error) {
        return of(call, error, Failure.Kind.UNAVAILABLE);
    }

    /** What is told of an error with which a call that changes something ended. */
    public static CallFailedException ofChanging(CallId call, Throwable error) {
        return of(call, error, Failure.Kind.OUTCOME_UNKNOWN);
    }

    private static CallFailedException of(CallId call, Throwable error, Failure.Kind unforeseen) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null
                ? error.getCause()
                : error;
        CallFailedException told = told(cause);
        if (told != null) {
            return told;
        } else if (cause instanceof LimitExceededException exceeded) {
            return limit(
                    exceeded.limit(), exceeded.maximum(), String.valueOf(exceeded.getMessage()));
        } else if (cause instanceof RequestRefusedException refused
                && refused.why() == RequestRefusedException.Why.INVALID) {
            return of(Failure.Kind.INVALID, String.valueOf(refused.getMessage()));
        } else if (cause instanceof StoreUnavailableException) {
            return ofStore(
                    call,
                    cause,
                    Failure.Kind.UNAVAILABLE,
                    "the store does not work at the moment, and nothing happened");
        } else if (cause instanceof OutcomeUnknownException) {
            return ofStore(
                    call,
                    cause,
                    Failure.Kind.OUTCOME_UNKNOWN,
                    "the store gave no answer, and it may or may not have happened");
        }
        LOG.error("request {} failed with an internal error", call, cause);
        return of(unforeseen, "internal error" + LOG_SAYS_WHY + call);
    }

    /** What the server itself found words for, which are in the error or below it. */
    private static @Nullable CallFailedException told(Throwable error) {
        Throwable at = error;
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            if (at instanceof CallFailedException told) {
                return told;
            }
            at = at.getCause();
        }
        return null;
    }

    private static CallFailedException ofStore(
            CallId call, Throwable cause, Failure.Kind kind, String words) {
        LOG.warn("request {} failed: {}", call, cause.getMessage());
        return of(kind, words + LOG_SAYS_WHY + call);
    }
}
