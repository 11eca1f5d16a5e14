// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;

/** What is said of acquires while the server stops. */
final class Stopping {

    private Stopping() {}

    /** What is said of one that could not be taken back. */
    static OutcomeUnknownException unknown() {
        return new OutcomeUnknownException(
                "the server is stopping, and the request may still wait or be granted: repeat it with"
                        + " the same lease id, or withdraw it");
    }

    static StoreUnavailableException refusal() {
        return new StoreUnavailableException("the server is stopping");
    }
}
