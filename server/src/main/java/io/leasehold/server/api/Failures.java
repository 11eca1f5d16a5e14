// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Failure;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What callers are told of what went wrong. Errors that nobody foresaw are logged here, once, and
 * told without their insides.
 */
public final class Failures {

    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

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

    /** What is told of an error that came before anything was asked of a store. */
    public static CallFailedException before(Throwable error) {
        return error instanceof IllegalArgumentException
                ? of(Failure.Kind.INVALID, String.valueOf(error.getMessage()))
                : of(error, Failure.Kind.UNAVAILABLE);
    }

    /** What is told of an error with which a call that only reads ended. */
    public static CallFailedException ofReading(Throwable error) {
        return of(error, Failure.Kind.UNAVAILABLE);
    }

    /** What is told of an error with which a call that changes something ended. */
    public static CallFailedException ofChanging(Throwable error) {
        return of(error, Failure.Kind.OUTCOME_UNKNOWN);
    }

    private static CallFailedException of(Throwable error, Failure.Kind unforeseen) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null
                ? error.getCause()
                : error;
        if (cause instanceof CallFailedException told) {
            return told;
        } else if (cause instanceof LimitExceededException exceeded) {
            return limit(exceeded.limit(), exceeded.maximum(), message(exceeded));
        } else if (cause instanceof StoreUnavailableException) {
            return of(Failure.Kind.UNAVAILABLE, message(cause));
        } else if (cause instanceof OutcomeUnknownException) {
            return of(Failure.Kind.OUTCOME_UNKNOWN, message(cause));
        }
        LOG.error("A call ended with an error that nobody foresaw", cause);
        return of(
                unforeseen,
                unforeseen == Failure.Kind.UNAVAILABLE
                        ? "the server failed; its log says why"
                        : "the server failed in the course of the call; its log says why");
    }

    private static String message(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }
}
