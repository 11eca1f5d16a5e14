// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Whom a client believes, and what it shows of itself. The files are read again at each connect.
 *
 * @param trusted a file with the certificates, in PEM, of those who may vouch for a server; the
 *     JVM's trust store if there is none
 * @param certificate what the client shows of itself, for servers that ask for it
 * @param token the bearer token
 * @param insecure send the token even where others could read it
 */
public record RemoteSecurity(
        Optional<Path> trusted,
        Optional<Certificate> certificate,
        Optional<String> token,
        boolean insecure) {

    private static final int MAX_TOKEN = 4096;

    /**
     * A client's certificate.
     *
     * @param chain a file with the certificate, in PEM, and those between it and a trusted one
     * @param key a file with its key, in PEM (PKCS 8), without a password
     */
    public record Certificate(Path chain, Path key) {}

    public RemoteSecurity {
        // one line of printable characters, as a header must be
        token.ifPresent(secret -> {
            if (secret.isEmpty()
                    || secret.length() > MAX_TOKEN
                    || secret.chars().anyMatch(c -> c <= ' ' || c >= 127)) {
                throw new IllegalArgumentException("a token has 1 to " + MAX_TOKEN
                        + " printable ASCII characters without spaces");
            }
        });
    }

    static RemoteSecurity none() {
        return new RemoteSecurity(Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "RemoteSecurity[trusted=" + trusted + ", certificate=" + certificate + ", token="
                + (token.isPresent() ? "(hidden)" : "none") + ", insecure=" + insecure + "]";
    }
}
