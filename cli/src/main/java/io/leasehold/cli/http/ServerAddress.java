// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Where a server is and how to identify oneself there.
 *
 * @param uri http or https, with a host, and nothing behind the port
 * @param token the bearer token; empty if none is shown
 * @param authorities a file of PEM certificates to trust in place of those that Java trusts
 */
public record ServerAddress(URI uri, String token, Optional<Path> authorities) {

    public ServerAddress {
        String scheme = String.valueOf(uri.getScheme());
        boolean plain = scheme.equals("http");
        if ((!plain && !scheme.equals("https")) || uri.getHost() == null) {
            throw new IllegalArgumentException(
                    "'" + uri + "' is no server address: write it as http://127.0.0.1:5327");
        }
        if (uri.getRawUserInfo() != null
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "a server address has a host and a port, and nothing else");
        }
        if (plain && authorities.isPresent()) {
            throw new IllegalArgumentException(
                    "certificates are of no use with '" + uri + "': write https");
        }
    }

    /** Reads an address; a path of no more than a slash is dropped. */
    public static ServerAddress parse(String text, String token, Optional<Path> authorities) {
        try {
            URI uri = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            return new ServerAddress(uri, token, authorities);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no server address: write it as http://127.0.0.1:5327", e);
        }
    }

    /** Whether a token would cross a network that anybody may listen to. */
    public boolean isInTheClear() {
        return uri.getScheme().equals("http") && !token.isEmpty() && !isLoopback(uri.getHost());
    }

    private static boolean isLoopback(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        boolean numbers = name.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
        return name.equals("localhost")
                || name.equals("[::1]")
                || (name.startsWith("127.") && numbers);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return uri.toString();
    }
}
