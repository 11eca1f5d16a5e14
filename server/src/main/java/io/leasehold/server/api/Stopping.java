// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Failure;

/** What is said of acquires while the server stops. The cause has the words for the caller. */
final class Stopping {

    private Stopping() {}

    /** What is said of one that could not be taken back. */
    static OutcomeUnknownException unknown() {
        return Failures.unknown(
                "the server is stopping, and the request may still wait or be granted: repeat it with"
                        + " the same lease id, or withdraw it");
    }

    static StoreUnavailableException refusal() {
        CallFailedException told = Failures.of(Failure.Kind.UNAVAILABLE, "the server is stopping");
        return new StoreUnavailableException(String.valueOf(told.getMessage()), told);
    }
}
