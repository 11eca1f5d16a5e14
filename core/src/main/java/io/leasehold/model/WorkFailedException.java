// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * The work that this call asked for was done, here or elsewhere, and ended in an error. Done in
 * this process, the error is the cause; done in another, only its kind and its message have come.
 */
public final class WorkFailedException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final String errorType;
    private final String errorMessage;
    private final transient FencingToken token;

    private WorkFailedException(
            String work,
            String errorType,
            String errorMessage,
            FencingToken token,
            @Nullable Throwable cause) {
        super(
                "'" + Text.excerpt(work) + "' failed under token " + token + ": " + errorType + ": "
                        + errorMessage,
                cause);
        this.errorType = errorType;
        this.errorMessage = errorMessage;
        this.token = token;
    }

    /** The work was done in this process; the message is the cause's own. */
    public static WorkFailedException here(
            String work, FencingToken token, String errorMessage, Throwable cause) {
        return new WorkFailedException(
                work, cause.getClass().getName(), errorMessage, token, cause);
    }

    /** The work was done in another process, or earlier. */
    public static WorkFailedException elsewhere(
            String work, FencingToken token, String errorType, String errorMessage) {
        return new WorkFailedException(work, errorType, errorMessage, token, null);
    }

    /** The name of the error's class. */
    public String errorType() {
        return errorType;
    }

    /** The error's own message, cut short if it was long. */
    public String errorMessage() {
        return errorMessage;
    }

    /** The token under which the work was done. */
    public FencingToken token() {
        return token;
    }
}
