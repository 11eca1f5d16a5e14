// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.Failures;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Lets in whoever is in the token file. */
final class TokenAccess implements Access {

    private static final String SCHEME = "bearer ";

    private final LiveTokens tokens;

    TokenAccess(LiveTokens tokens) {
        this.tokens = tokens;
    }

    /** To be called after a change of the file, lest it be seen a second later. */
    void refresh() {
        tokens.refresh();
    }

    @Override
    public Principal identify(RequestHeaders headers, @Nullable SSLSession session) {
        List<String> shown = headers.getAll(HttpHeaderNames.AUTHORIZATION);
        if (shown.size() > 1) {
            throw unknown("there are several Authorization headers; send one");
        }
        return shown.isEmpty() ? byCertificate(session) : byToken(shown.get(0));
    }

    private Principal byToken(String header) {
        if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw unknown("the Authorization header is not 'Bearer' and a token");
        }
        String secret = header.substring(SCHEME.length()).strip();
        if (!Secrets.looksLikeOne(secret)) {
            throw unknown("what the Authorization header has is no token; one begins with lh_");
        }
        byte[] digest = Secrets.digest(secret);
        return known(() -> tokens.withHash(digest))
                .orElseThrow(() -> unknown("the token is not known here; was it revoked?"));
    }

    private Principal byCertificate(@Nullable SSLSession session) {
        Optional<String> name = CommonName.of(session);
        if (name.isEmpty()) {
            throw unknown("no identity; send the header 'Authorization: Bearer lh_…'"
                    + " or a client certificate that the server trusts");
        }
        return known(() -> tokens.withCertificate(name.get()))
                .orElseThrow(() -> unknown("nobody is known here by the name of the certificate, '"
                        + Names.printable(name.get()) + "'"));
    }

    private static Optional<Principal> known(Supplier<Optional<TokenEntry>> current) {
        try {
            return current.get().map(entry -> new LivePrincipal(entry.name(), current));
        } catch (StoreUnavailableException e) {
            throw Failures.of(Failure.Kind.UNAVAILABLE, String.valueOf(e.getMessage()));
        }
    }

    private static RuntimeException unknown(String why) {
        return Failures.of(Failure.Kind.UNAUTHENTICATED, why);
    }
}
