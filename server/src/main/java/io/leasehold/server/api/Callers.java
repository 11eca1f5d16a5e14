// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.server.ServiceRequestContext;

import io.leasehold.server.access.Access;
import io.leasehold.server.access.Principal;
import io.netty.util.AttributeKey;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Who makes a request, for all ways in. Thread-safe. */
public final class Callers {

    private static final CompletionStage<Void> NEVER = new CompletableFuture<>();
    private static final AttributeKey<Principal> PRINCIPAL =
            AttributeKey.valueOf(Callers.class, "principal");

    private final Access access;

    public Callers(Access access) {
        this.access = access;
    }

    /**
     * Who is asking, found out once for each request.
     *
     * @throws CallFailedException if that is not known, or can't be found out at the moment
     */
    public Principal principal(ServiceRequestContext context) {
        Principal known = context.attr(PRINCIPAL);
        if (known != null) {
            return known;
        }
        Principal principal = access.identify(context);
        context.setAttr(PRINCIPAL, principal);
        return principal;
    }

    /** The caller of a request whose answer nothing depends on. */
    public Caller of(ServiceRequestContext context) {
        return new Caller(principal(context), NEVER, CallId.of(context));
    }

    /** The caller of a request for which it matters when its answer was sent, or can't be. */
    public Caller departing(ServiceRequestContext context) {
        return new Caller(principal(context), Delivery.of(context), CallId.of(context));
    }
}
