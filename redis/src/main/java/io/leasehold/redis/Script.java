// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The script that all operations are part of, put together from its files. What only some calls
 * need is a function that those run when they get there: the server makes all functions of a script
 * anew for each call.
 */
final class Script {

    private final byte[] source;
    private final String digest;

    private Script(byte[] source, String digest) {
        this.source = source;
        this.digest = digest;
    }

    static Script load() {
        String rules = "local search, queue\n"
                + file("leases.lua")
                + "search = " + function(file("search.lua"))
                + file("holders.lua")
                + "queue = " + function(file("queue.lua"))
                + file("operations.lua");
        return of(file("state.lua")
                + file("plain.lua")
                + "local rules = " + function(rules)
                + file("main.lua"));
    }

    static Script of(String text) {
        byte[] source = text.getBytes(UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source);
            return new Script(source, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-1", e);
        }
    }

    private static String function(String body) {
        return "function()\n" + body + "end\n";
    }

    private static String file(String name) {
        try (InputStream stream = Script.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new AssertionError(name + " is missing from the jar");
            }
            return new String(stream.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] source() {
        return source;
    }

    /** Its SHA-1 in hex digits, by which the server knows it once it has seen it. */
    String digest() {
        return digest;
    }
}
