// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.model.Claim;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Scopes as a header: the canonical texts, separated by {@code " + "}. What is not printable ASCII,
 * and the characters {@code % + ,}, are percent-encoded as UTF-8, so that no name can look like two
 * and none can end the header.
 */
final class ScopeHeader {

    /** The longest header, all of its lines together; containers take 8 KiB for all headers. */
    static final int MAX_LENGTH = 4096;

    private static final String SEPARATOR = " + ";
    private static final String HEX = "0123456789ABCDEF";

    private ScopeHeader() {}

    /**
     * The header's value.
     *
     * @throws LimitExceededException if it would be too long
     */
    static String write(List<Scope> scopes) {
        String header = text(scopes);
        if (header.length() > MAX_LENGTH) {
            throw new LimitExceededException(
                    FencingHeaders.SCOPE + " header",
                    MAX_LENGTH,
                    "the scopes of the lease take " + header.length() + " characters as a header;"
                            + " at most " + MAX_LENGTH + " are allowed: send the token alone, or"
                            + " lease a subtree");
        }
        return header;
    }

    /** The same text, however long. */
    static String text(List<Scope> scopes) {
        return scopes.stream()
                .map(scope -> encoded(scope.toString()))
                .collect(Collectors.joining(SEPARATOR));
    }

    /**
     * What the header's lines say, as one lease; proxies may have joined lines by a comma.
     *
     * @throws IllegalArgumentException if they are not what {@link #write} writes
     */
    static Claim read(List<String> lines) {
        int length = lines.stream().mapToInt(String::length).sum();
        if (length > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    length + " characters; at most " + MAX_LENGTH + " are allowed");
        }
        return parse(String.join(SEPARATOR, lines));
    }

    /** Reads {@link #text}. */
    static Claim parse(String text) {
        Set<Scope> scopes = new LinkedHashSet<>();
        for (String scope : text.split(" \\+ |,", -1)) {
            scopes.add(Scope.parse(decoded(scope.strip())));
        }
        return Claim.exclusive(scopes.toArray(Scope[]::new));
    }

    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(UTF_8)) {
            if (isPlain((char) (b & 0xFF)) && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.charAt((b >> 4) & 0xF)).append(HEX.charAt(b & 0xF));
            }
        }
        return encoded.toString();
    }

    private static String decoded(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isPlain(c)) {
                throw new IllegalArgumentException("the character at index " + i
                        + " of a scope must be percent-encoded as UTF-8");
            }
            if (c == '%') {
                bytes.write(escaped(text, i));
                i += 2;
            } else {
                bytes.write(c);
            }
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a percent-encoded scope is not UTF-8", e);
        }
    }

    private static int escaped(String text, int percent) {
        int high = percent + 2 < text.length() ? digit(text.charAt(percent + 1)) : -1;
        int low = high < 0 ? -1 : digit(text.charAt(percent + 2));
        if (low < 0) {
            throw new IllegalArgumentException(
                    "the % at index " + percent + " of a scope is not followed by two hex digits");
        }
        return high << 4 | low;
    }

    private static int digit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    private static boolean isPlain(char c) {
        return c > ' ' && c < 0x7F && c != '+' && c != ',';
    }
}
