// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.CallId;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Access whose refusals leave a trace. */
final class TracedAccess implements Access {

    private final Access access;
    private final FailedSignIns failures;

    TracedAccess(Access access, FailedSignIns failures) {
        this.access = access;
        this.failures = failures;
    }

    @Override
    public Principal identify(RequestHeaders headers, @Nullable SSLSession session) {
        return access.identify(headers, session);
    }

    @Override
    public Principal identify(ServiceRequestContext context) {
        try {
            return access.identify(context);
        } catch (CallFailedException e) {
            Failure failure = e.failure();
            if (failure.getKind() == Failure.Kind.UNAUTHENTICATED) {
                failures.add(
                        context.clientAddress().getHostAddress(),
                        failure.getMessage(),
                        CallId.of(context));
            }
            throw e;
        }
    }
}
