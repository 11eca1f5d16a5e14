// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script and the name that a server knows it by. Immutable. */
public final class Script {

    static final Script WRITE = new Script(load("check.lua") + load("write.lua"));
    static final Script READ = new Script(load("read.lua"));
    static final Script SETTINGS = new Script(load("settings.lua"));

    private static final String RUN = load("check.lua") + load("run.lua");

    private final String source;
    private final String sha1;

    private Script(String source) {
        this.source = source;
        this.sha1 = sha1(source);
    }

    /** The script that runs the body behind the check. */
    static Script behindTheCheck(String body) {
        return new Script("local function body(KEYS, ARGV) " + body + "\nend\n" + RUN);
    }

    /** The Lua text, for {@code EVAL}. */
    public String source() {
        return source;
    }

    /** The digest of the text in UTF-8 as 40 hexadecimal digits, for {@code EVALSHA}. */
    public String sha1() {
        return sha1;
    }

    /** The file beside this class without its comments. */
    private static String load(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the class path");
            }
            StringBuilder lines = new StringBuilder();
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .forEach(line -> lines.append(line).append('\n'));
            return lines.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can't be read", e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
