// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests by a name that is not this server's. A request names one host: of two, a proxy
 * and this server might believe different ones.
 *
 * <p>A server that asks nobody who they are takes only requests that name this machine by its
 * address or as localhost. Else a page of another site could have its own name point here, and a
 * browser would let it talk to this server as if it were that site.
 */
final class HostCheck implements DecoratingHttpServiceFunction {

    private static final Pattern AUTHORITY =
            Pattern.compile("(?:\\[(?<literal>[^]]*)]|(?<name>[^:]*))(?::[0-9]*)?");

    private final Answers answers;
    private final boolean strangers;

    /**
     * A check.
     *
     * @param strangers whether nobody is asked who they are
     */
    HostCheck(Answers answers, boolean strangers) {
        this.answers = answers;
        this.strangers = strangers;
    }

    @Override
    public HttpResponse serve(HttpService next, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
        if (hosts.size() > 1) {
            return answers.problem(context, Problem.invalid("A request has one Host header."));
        }
        boolean local = isLocal(request.authority()) && hosts.stream().allMatch(HostCheck::isLocal);
        if (strangers && !local) {
            return answers.problem(
                    context,
                    Problem.of(
                            HttpStatus.MISDIRECTED_REQUEST,
                            "WRONG_HOST",
                            "Not by this name",
                            "Without authentication the server answers only to 'localhost' and to addresses"
                                    + " in numbers."));
        }
        return next.serve(context, request);
    }

    static boolean isLocal(@Nullable String authority) {
        if (authority == null || authority.isEmpty()) {
            return true;
        }
        Matcher parts = AUTHORITY.matcher(authority.toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            return false;
        }
        String literal = parts.group("literal");
        if (literal != null) {
            return NetUtil.isValidIpV6Address(literal);
        }
        String name = parts.group("name");
        return name.equals("localhost")
                || name.endsWith(".localhost")
                || NetUtil.isValidIpV4Address(name);
    }
}
