// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.http.ProblemException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;

/** The exit codes that all commands share, from sysexits.h where it has a fitting one. */
final class ExitCodes {

    static final int FAILED = 1;
    static final int USAGE = 2;
    static final int UNREACHABLE = 69;
    static final int BUSY = 75;
    static final int LOST = 76;
    static final int NOT_PERMITTED = 77;
    static final int CANNOT_RUN = 126;
    static final int NOT_FOUND = 127;

    /** To this the number of a signal is added. */
    static final int SIGNALLED = 128;

    private ExitCodes() {}

    /** For programs. */
    static String kind(int code) {
        return switch (code) {
            case USAGE -> "usage";
            case JournalCommand.DAMAGED -> "damaged";
            case UNREACHABLE -> "unreachable";
            case BUSY -> "busy";
            case LOST -> "lost";
            case NOT_PERMITTED -> "not-permitted";
            case CANNOT_RUN -> "cannot-run";
            case NOT_FOUND -> "not-found";
            default -> "failed";
        };
    }

    static int of(Exception e) {
        if (e instanceof LockTimeoutException) {
            return BUSY;
        }
        if (e instanceof LeaseLostException) {
            return LOST;
        }
        if (e instanceof StoreUnavailableException || e instanceof OutcomeUnknownException) {
            return UNREACHABLE;
        }
        if (e instanceof ProblemException problem && problem.isAboutPermission()) {
            return NOT_PERMITTED;
        }
        if (e instanceof LimitExceededException limit
                && (limit.limit().equals("PERMISSION_DENIED")
                        || limit.limit().equals("UNAUTHENTICATED"))) {
            return NOT_PERMITTED;
        }
        return FAILED;
    }
}
