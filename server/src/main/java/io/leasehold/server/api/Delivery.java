// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.server.ServiceRequestContext;

import java.util.concurrent.CompletableFuture;

/**
 * What becomes of the answer to one call, for a way in that knows it: the {@link Caller#gone} of that
 * call. An answer counts as lost until it is said to be delivered. Thread-safe.
 */
public final class Delivery extends CompletableFuture<Void> {

    /**
     * Of the answer to a request: lost when the request was cancelled, ran into its time-out, or its
     * answer could not be written; delivered once it was. That is told by a task of its own on the
     * event loop: until then, answers to all requests that were read at once stay in memory.
     */
    public static Delivery of(ServiceRequestContext request) {
        Delivery delivery = new Delivery();
        request.whenRequestCancelling().thenAccept(cause -> delivery.lost());
        CompletableFuture<?> unusedEnd = request.log()
                .whenComplete()
                .thenAcceptAsync(
                        log -> {
                            if (log.responseCause() == null) {
                                delivery.delivered();
                            } else {
                                delivery.lost();
                            }
                        },
                        request.eventLoop().withoutContext());
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
