// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.model.DamagedFileException;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The token file's text. The first line is {@code leasehold-tokens 1}, each further one a
 * principal, its kind and its rules:
 *
 * <pre>
 * orders token sha256:4355a46b… team-a=acquire,read
 * backup certificate *=read
 * </pre>
 *
 * <p>Lines that begin with {@code #} are for people. Anything else is damage: a file that is partly
 * understood could permit what it was meant to forbid.
 */
final class TokenLines {

    static final int MAX_BYTES = 4 << 20;
    static final int MAX_ENTRIES = 10_000;

    private static final String HEADER = "leasehold-tokens 1";
    private static final String REMEDY =
            "Nobody is let in until it is mended: put a good copy in its place";
    private static final Pattern HASH = Pattern.compile("sha256:[0-9a-f]{64}");

    private final Path file;

    private TokenLines(Path file) {
        this.file = file;
    }

    static byte[] write(List<TokenEntry> entries) {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (TokenEntry entry : entries) {
            text.append(entry.name());
            entry.hash()
                    .ifPresentOrElse(
                            hash -> text.append(" token sha256:").append(hash),
                            () -> text.append(" certificate"));
            entry.rules().forEach(rule -> text.append(' ').append(rule));
            text.append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads all of it or nothing.
     *
     * @throws DamagedFileException if there is anything that {@link #write} would not write, or
     *     people's remarks
     */
    static List<TokenEntry> read(Path file, byte[] bytes) {
        return new TokenLines(file).entries(bytes);
    }

    private List<TokenEntry> entries(byte[] bytes) {
        String text = decode(bytes);
        if (!text.startsWith(HEADER + "\n")) {
            throw damage(0, "the first line is not '" + HEADER + "'");
        }
        if (!text.endsWith("\n")) {
            throw damage(text.length(), "the last line does not end: the file was cut");
        }
        List<TokenEntry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> hashes = new HashSet<>();
        for (int from = HEADER.length() + 1; from < text.length(); ) {
            int end = text.indexOf('\n', from);
            String line = text.substring(from, end);
            if (!line.startsWith("#")) {
                TokenEntry entry = entry(line, from);
                boolean fresh = names.add(entry.name());
                fresh &= entry.hash().map(hashes::add).orElse(true);
                if (!fresh) {
                    throw damage(from, "'" + entry.name() + "' or its token is there twice");
                }
                entries.add(entry);
            }
            from = end + 1;
        }
        if (entries.size() > MAX_ENTRIES) {
            throw damage(0, entries.size() + " entries; at most " + MAX_ENTRIES + " are allowed");
        }
        return List.copyOf(entries);
    }

    private String decode(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw damage(MAX_BYTES, "it is longer than " + MAX_BYTES + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private TokenEntry entry(String line, int offset) {
        String[] words = line.split(" ", -1);
        try {
            if (words.length > 2
                    && words[1].equals("token")
                    && HASH.matcher(words[2]).matches()) {
                String hash = words[2].substring("sha256:".length());
                return new TokenEntry(words[0], Optional.of(hash), rules(words, 3));
            }
            if (words.length > 1 && words[1].equals("certificate")) {
                return new TokenEntry(words[0], Optional.empty(), rules(words, 2));
            }
        } catch (IllegalArgumentException e) {
            throw damage(offset, String.valueOf(e.getMessage()));
        }
        throw damage(
                offset,
                "a line is neither 'NAME token sha256:HASH RULE…' nor"
                        + " 'NAME certificate RULE…'");
    }

    private static List<AccessRule> rules(String[] words, int from) {
        List<AccessRule> rules = new ArrayList<>();
        for (int i = from; i < words.length; i++) {
            rules.add(AccessRule.parse(words[i]));
        }
        return rules;
    }

    private DamagedFileException damage(int offset, String problem) {
        return new DamagedFileException(file, offset, problem, REMEDY);
    }
}
