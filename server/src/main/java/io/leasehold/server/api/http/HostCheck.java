// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.NetUtil;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * For a server that asks nobody who they are: takes only requests that name this machine by its
 * address or as localhost. Else a page of another site could have its own name point here, and a
 * browser would let it talk to this server as if it were that site.
 */
final class HostCheck implements DecoratingHttpServiceFunction {

    private final Answers answers;

    HostCheck(Answers answers) {
        this.answers = answers;
    }

    @Override
    public HttpResponse serve(HttpService next, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        if (isLocal(request.authority())) {
            return next.serve(context, request);
        }
        return answers.problem(Problem.of(
                HttpStatus.MISDIRECTED_REQUEST,
                "WRONG_HOST",
                "Not by this name",
                "Without authentication the server answers only to 'localhost' and to addresses in"
                        + " numbers."));
    }

    static boolean isLocal(@Nullable String authority) {
        if (authority == null || authority.isEmpty()) {
            return true;
        }
        if (authority.startsWith("[")) {
            return true;
        }
        int colon = authority.lastIndexOf(':');
        String host =
                (colon < 0 ? authority : authority.substring(0, colon)).toLowerCase(Locale.ROOT);
        return host.equals("localhost")
                || host.endsWith(".localhost")
                || NetUtil.isValidIpV4Address(host);
    }
}
