// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.server.api.Delivery;

import java.util.concurrent.CompletionStage;

/** Tells whether the answer to a request reached its client. */
final class Departure {

    private Departure() {}

    /**
     * Lost when the request was cancelled, ran into its time-out, or its answer could not be written;
     * delivered once it was.
     */
    static Delivery of(ServiceRequestContext request) {
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

    /** Completes when the request was cancelled, or ran into its time-out. */
    static CompletionStage<Void> early(ServiceRequestContext request) {
        return request.whenRequestCancelling().thenAccept(cause -> {});
    }
}
