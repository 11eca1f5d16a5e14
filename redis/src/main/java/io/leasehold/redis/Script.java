// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The script that all operations are part of, put together from its files. The server makes all
 * functions of a script anew for each call, so those that only some calls need are made when a call
 * gets there.
 */
final class Script {

    private static final Pattern FUNCTION =
            Pattern.compile("^function (?:rule|operations)\\.(\\w+)", Pattern.MULTILINE);

    private static final byte[] EVAL = Wire.text("EVAL");
    private static final byte[] EVALSHA = Wire.text("EVALSHA");
    private static final byte[] ONE_KEY = Wire.text("1");
    private static final List<String> SIDE_KEYS =
            List.of(":ends", ":ended", ":index", ":records", ":waiters", ":clients");

    private final byte[] source;
    private final String digest;

    private Script(byte[] source, String digest) {
        this.source = source;
        this.digest = digest;
    }

    static Script load() {
        String rules = file("leases.lua")
                + file("holders.lua")
                + file("operations.lua")
                + "make = function(name)\n"
                + part("search.lua")
                + part("queue.lua")
                + part("course.lua")
                + part("more.lua")
                + part("force.lua")
                + part("repair.lua")
                + part("node.lua")
                + "end\n"
                + "return rule, operations\n";
        return of(file("state.lua")
                + file("renewals.lua")
                + file("plain.lua")
                + file("readiness.lua")
                + "local function rules()\n"
                + rules
                + "end\n"
                + file("main.lua"));
    }

    /** A file whose functions are made together, when the name of one of them is asked for. */
    private static String part(String name) {
        String text = file(name);
        String names = FUNCTION.matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.joining(" ", " ", " "));
        return "if find('" + names + "', ' ' .. name .. ' ', 1, true) then\n" + text + "end\n";
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

    /** How the script that the server knows is called on a key, up to the arguments. */
    byte[][] call(byte[] key) {
        return new byte[][] {EVALSHA, Wire.text(digest), ONE_KEY, key};
    }

    /** The same for one that it does not know. */
    byte[][] firstCall(byte[] key) {
        return new byte[][] {EVAL, source, ONE_KEY, key};
    }

    /** All keys that the script uses: what begins with the given one. */
    static byte[][] keys(byte[] key) {
        byte[][] keys = new byte[1 + SIDE_KEYS.size()][];
        keys[0] = key;
        for (int i = 1; i < keys.length; i++) {
            keys[i] = Wire.text(Wire.string(key) + SIDE_KEYS.get(i - 1));
        }
        return keys;
    }

    byte[] source() {
        return source;
    }

    /** Its SHA-1 in hex digits, by which the server knows it once it has seen it. */
    String digest() {
        return digest;
    }
}
