// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.StoreUnavailableException;

/** What is said of acquires while the server stops. */
final class Stopping {

    private Stopping() {}

    static StoreUnavailableException refusal() {
        return new StoreUnavailableException("the server is stopping");
    }
}
