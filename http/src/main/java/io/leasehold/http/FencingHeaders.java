// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.Lease;
import io.leasehold.guard.Admission;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The client's side: the token on a request, and a guard's refusal out of the answer. Needs no
 * servlet API.
 */
public final class FencingHeaders {

    /** The header with the token, in decimal. */
    public static final String TOKEN = "Fencing-Token";

    /**
     * The optional header with what is leased: canonical scope texts, percent-encoded where they
     * are not printable ASCII or have one of {@code % + ,}, separated by {@code " + "}.
     */
    public static final String SCOPE = "Fencing-Scope";

    private static final int MAX_BODY = 65_536;

    private FencingHeaders() {}

    /** Sends the token alone: the lease is taken to be on what the request changes. */
    public static HttpRequest.Builder set(HttpRequest.Builder request, FencingToken token) {
        return request.setHeader(TOKEN, token.toString());
    }

    /**
     * Sends the token and what is leased, so that a request to the wrong place is refused.
     *
     * @throws io.leasehold.model.LimitExceededException if the scopes are too long for a header
     */
    public static HttpRequest.Builder set(HttpRequest.Builder request, Lease lease) {
        return set(request, lease.token(), lease.scopes());
    }

    /** As {@link #set(HttpRequest.Builder, Lease)}, for a writer that has an admission. */
    public static HttpRequest.Builder set(HttpRequest.Builder request, Admission admission) {
        return set(request, admission.token(), admission.leased().scopes());
    }

    private static HttpRequest.Builder set(
            HttpRequest.Builder request, FencingToken token, List<Scope> leased) {
        return set(request, token).setHeader(SCOPE, ScopeHeader.write(leased));
    }

    /**
     * Returns any answer but a guard's refusal. The body must be a {@code String} or a {@code
     * byte[]}; of others nothing is known here: use {@link #refusal}.
     *
     * @throws StaleTokenException if the resource has seen a newer token
     * @throws ScopeMismatchException if the lease is on something else
     */
    public static <T> HttpResponse<T> check(HttpResponse<T> response) {
        if (isProblem(response)) {
            Optional<LeaseholdException> refusal = Optional.empty();
            if (response.body() instanceof String text) {
                refusal = refusal(response.statusCode(), text);
            } else if (response.body() instanceof byte[] bytes && bytes.length <= MAX_BODY) {
                refusal = refusal(response.statusCode(), new String(bytes, UTF_8));
            }
            if (refusal.isPresent()) {
                throw refusal.get();
            }
        }
        return response;
    }

    /**
     * The exception that a guard on the server has thrown: a {@link StaleTokenException} or a
     * {@link ScopeMismatchException}. Empty for every other answer, a conflict of the application's
     * own included.
     */
    public static Optional<LeaseholdException> refusal(int status, String body) {
        return body.length() > MAX_BODY ? Optional.empty() : Problem.thrown(status, body);
    }

    private static boolean isProblem(HttpResponse<?> response) {
        return response.headers()
                .firstValue("Content-Type")
                .map(type -> type.toLowerCase(Locale.ROOT).startsWith(Problem.MEDIA_TYPE))
                .orElse(false);
    }
}
