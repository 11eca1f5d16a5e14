// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.common.RequestId;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a call in replies, in the server's log and in the audit log: the id of its request, and
 * for a call of a session its number there. The id of a request is what the client sent in the header
 * {@code Request-Id} if that is plain and short, else it is made here.
 *
 * @param request the id of the request
 * @param number the client's number of the call in a session; 0 for a request that is one call
 */
public record CallId(String request, long number) {

    /** Where clients give an id, and are told it. */
    public static final CharSequence HEADER = HttpHeaderNames.of("request-id");

    /** Of what no request asked for. */
    public static final CallId NONE = new CallId("none", 0);

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private record Given(String text) implements RequestId {}

    /** Gives each request of a server its id, and tells it in the header of the response. */
    public static void applyTo(ServerBuilder server) {
        server.requestIdGenerator(routing -> chosen(routing.headers())).decorator(CallId::tell);
    }

    private static HttpResponse tell(
            HttpService next, ServiceRequestContext context, HttpRequest request) throws Exception {
        context.setAdditionalResponseHeader(HEADER, of(context).request());
        return next.serve(context, request);
    }

    /** Of a request that is one call, or of a session as a whole. */
    public static CallId of(RequestContext context) {
        return new CallId(context.id().text(), 0);
    }

    /** Of a request that was refused before there was a context, whose headers may be unreadable. */
    public static CallId of(@Nullable RequestContext context, @Nullable HttpHeaders headers) {
        return context != null
                ? of(context)
                : new CallId(
                        chosen(headers == null ? HttpHeaders.of() : headers).text(), 0);
    }

    private static RequestId chosen(HttpHeaders headers) {
        List<String> given = headers.getAll(HEADER);
        return given.size() == 1 && PLAIN.matcher(given.get(0)).matches()
                ? new Given(given.get(0))
                : RequestId.random();
    }

    /** Of a call within this session. */
    CallId call(long inSession) {
        return new CallId(request, inSession);
    }

    /** Whether it is a call of a session, not a request of its own. */
    boolean isOfSession() {
        return number != 0;
    }

    @Override
    public String toString() {
        return number == 0 ? request : request + "." + number;
    }
}
