// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

/** The server refused a call for a reason that repeating it does not change. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int status;
    private final String reason;

    ProblemException(int status, String reason, String detail) {
        super(detail);
        this.status = status;
        this.reason = reason;
    }

    /** The status of the HTTP answer. */
    public int status() {
        return status;
    }

    /** Such as {@code PERMISSION_DENIED}; empty if the answer had none. */
    public String reason() {
        return reason;
    }

    /** Whether somebody else might be allowed to do it. */
    public boolean isAboutPermission() {
        return status == 401 || status == 403;
    }
}
