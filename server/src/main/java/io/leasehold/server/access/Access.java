// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.spi.Time;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Finds out who is asking. Thread-safe; never blocks for longer than reading a small file. */
public interface Access {

    /**
     * Who is asking, by the bearer token in the headers or else by the client's certificate. What
     * the principal may do is looked up at each question, so that a token that is revoked is worth
     * nothing on a stream that is open either.
     *
     * @param session of the connection, null without TLS
     * @throws CallFailedException UNAUTHENTICATED if it can't be told who is asking; UNAVAILABLE
     *     while the token file can't be read
     */
    Principal identify(RequestHeaders headers, @Nullable SSLSession session);

    /** The same for the request of a context. */
    default Principal identify(ServiceRequestContext context) {
        return identify(context.request().headers(), context.sslSession());
    }

    /** Everyone is "anyone" and may do everything. */
    static Access open() {
        return (headers, session) -> Anyone.INSTANCE;
    }

    /**
     * Only those in the file, which is read again when it has changed.
     *
     * @throws DamagedFileException if it can't be understood
     * @throws StoreUnavailableException if it can't be read
     */
    static Access byTokens(TokenFile file, Time time) {
        return new TokenAccess(new LiveTokens(file, time));
    }
}
