// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;

import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Ends requests whose bodies come in too slowly, lest somebody keep thousands of them open for
 * nothing. A session is a stream: it is exempt.
 */
final class SlowBodies implements DecoratingHttpServiceFunction {

    private static final String SESSION = "/leasehold.v1.Leases/Session";

    /** For the answer to get out before the connection is closed. */
    private static final int ANSWER_MILLIS = 200;

    private final Duration patience;

    SlowBodies(Duration patience) {
        this.patience = patience;
    }

    @Override
    public HttpResponse serve(
            HttpService delegate, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        if (!context.path().equals(SESSION) && !request.whenComplete().isDone()) {
            ScheduledFuture<?> end = context.eventLoop()
                    .withoutContext()
                    .schedule(
                            () -> end(context, request),
                            patience.toMillis(),
                            TimeUnit.MILLISECONDS);
            request.whenComplete().handle((done, failure) -> end.cancel(false));
        }
        return delegate.serve(context, request);
    }

    private static void end(ServiceRequestContext context, HttpRequest request) {
        if (request.whenComplete().isDone()) {
            return;
        }
        context.timeoutNow();
        // with HTTP/1 the rest of the body would be waited for before anything else
        Channel channel = context.log().partial().channel();
        if (channel != null && !context.sessionProtocol().isMultiplex()) {
            Future<?> unused = context.eventLoop()
                    .withoutContext()
                    .schedule(() -> channel.close(), ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
