// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.server.ServiceRequestContext;

import java.util.concurrent.CompletableFuture;

/**
 * Tells whether the answer to a call was delivered or lost: the {@link Caller#gone} of that call.
 * Thread-safe.
 */
public final class Delivery extends CompletableFuture<Void> {

    /**
     * Of the answer to a request: lost when the request was cancelled, ran into its time-out, or its
     * answer could not be written; delivered once it was.
     */
    public static Delivery of(ServiceRequestContext request) {
        Delivery delivery = new Delivery();
        request.whenRequestCancelling().thenAccept(cause -> delivery.lost());
        request.log().whenComplete().thenAccept(log -> {
            if (log.responseCause() == null) {
                delivery.delivered();
            } else {
                delivery.lost();
            }
        });
        return delivery;
    }

    /** The answer was handed to the network. */
    public void delivered() {
        cancel(false);
    }

    /** The answer can't reach anybody any more. */
    public void lost() {
        complete(null);
    }
}
