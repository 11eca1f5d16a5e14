// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.server.ServiceRequestContext;

import java.util.concurrent.CompletionStage;

/** Tells when the client of a request is gone. */
final class Departure {

    private Departure() {}

    /** Completes when the request was cancelled, or ran into its time-out. */
    static CompletionStage<Void> early(ServiceRequestContext request) {
        return request.whenRequestCancelling().thenAccept(cause -> {});
    }
}
