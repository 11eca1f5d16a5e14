// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import java.util.concurrent.CompletableFuture;

/**
 * What becomes of the answer to one acquire, for a way in that knows it: the {@link Caller#gone} of
 * that call. An answer counts as lost until it is said to be delivered. Thread-safe.
 */
public final class Delivery extends CompletableFuture<Void> {

    /** The answer was handed to the network. */
    public void delivered() {
        cancel(false);
    }

    /** The answer can't reach anybody any more. */
    public void lost() {
        complete(null);
    }
}
