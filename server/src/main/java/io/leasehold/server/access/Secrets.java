// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Bearer tokens: {@code lh_} and 256 random bits. So many bits can't be guessed from a fast hash
 * either, so no slow one is needed, and a hash tells nothing of the token.
 */
final class Secrets {

    private static final String PREFIX = "lh_";
    private static final int BYTES = 32;
    private static final Pattern FORM = Pattern.compile(PREFIX + "[A-Za-z0-9_-]{43}");

    private Secrets() {}

    static String mint() {
        byte[] bits = new byte[BYTES];
        new SecureRandom().nextBytes(bits);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    }

    static boolean looksLikeOne(String text) {
        return FORM.matcher(text).matches();
    }

    static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static String hash(String secret) {
        return HexFormat.of().formatHex(digest(secret));
    }
}
