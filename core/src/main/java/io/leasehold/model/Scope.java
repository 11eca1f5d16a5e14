// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * What is leased. Scopes of different kinds may overlap (an inode and its byte ranges, a subtree
 * and the paths below it); {@link #overlaps} is the one rule that decides it.
 *
 * <p>Every scope has a canonical text, written by {@code toString()} and read back by {@link
 * #parse}:
 *
 * <pre>
 * name:ledger/42      path:/var/data      subtree:/var      inode:4711      range:4711:0-4096
 * </pre>
 */
public sealed interface Scope {

    /** The longest name or path, in bytes of UTF-8. */
    int MAX_BYTES = 512;

    /** A free name, equal only to itself. */
    static Scope name(String name) {
        return new Name(name);
    }

    /** One absolute path, without what lies below it. Normalised: see {@link Path}. */
    static Scope path(String path) {
        return new Path(path);
    }

    /** An absolute path and everything below it. Normalised: see {@link Path}. */
    static Scope subtree(String path) {
        return new Subtree(path);
    }

    /** A whole inode, all of its bytes included. */
    static Scope inode(long inode) {
        return new Inode(inode);
    }

    /** The bytes [start, end) of an inode. */
    static Scope range(long inode, long start, long end) {
        return new ByteRange(inode, start, end);
    }

    /** Reads the canonical text. */
    static Scope parse(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        String rest = text.substring(colon + 1);
        return switch (kind) {
            case "name" -> new Name(rest);
            case "path" -> new Path(rest);
            case "subtree" -> new Subtree(rest);
            case "inode" -> new Inode(parseInode(rest));
            case "range" -> parseRange(rest);
            default ->
                throw new IllegalArgumentException("scope '" + Text.excerpt(text)
                        + "' starts with none of name:, path:, subtree:, inode:, range:");
        };
    }

    /** Reads a scope as people write it: the canonical text, or a name without its kind. */
    static Scope parseOrName(String text) {
        int colon = text.indexOf(':');
        String kind = colon < 0 ? "" : text.substring(0, colon);
        return switch (kind) {
            case "name", "path", "subtree", "inode", "range" -> parse(text);
            default -> new Name(text);
        };
    }

    private static long parseInode(String digits) {
        try {
            return Text.unsigned(digits);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "inode '" + Text.excerpt(digits) + "' is not an unsigned number", e);
        }
    }

    private static Scope parseRange(String text) {
        int colon = text.indexOf(':');
        int dash = text.indexOf('-', colon + 1);
        if (colon < 0 || dash < 0) {
            throw new IllegalArgumentException(
                    "range '" + Text.excerpt(text) + "' is not of the form inode:start-end");
        }
        try {
            long start = Text.number(text.substring(colon + 1, dash));
            long end = Text.number(text.substring(dash + 1));
            return new ByteRange(parseInode(text.substring(0, colon)), start, end);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "range '" + Text.excerpt(text)
                            + "' has a bound that is not a number below 2^63",
                    e);
        }
    }

    /** The scope's place in the ordered key space. */
    KeyRange keys();

    /** Whether the two scopes have anything in common. */
    default boolean overlaps(Scope other) {
        return keys().intersects(other.keys());
    }

    /** Whether a lease on this scope is a lease on all of the other one too. */
    default boolean covers(Scope other) {
        return keys().contains(other.keys());
    }

    /**
     * A free name, equal only to itself.
     *
     * @param name 1 to 512 bytes of UTF-8 without control characters, case-sensitive
     */
    record Name(String name) implements Scope {

        public Name {
            Text.check("name", name, MAX_BYTES);
        }

        @Override
        public KeyRange keys() {
            return KeyRange.point("n" + name);
        }

        @Override
        public boolean overlaps(Scope other) {
            return equals(other); // the rule of the key space, without building the keys
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other || (other instanceof Name that && name.equals(that.name));
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }

        @Override
        public String toString() {
            return "name:" + name;
        }
    }

    /**
     * One absolute path, without what lies below it. Repeated slashes, {@code .} segments and a
     * trailing slash are dropped, so that two spellings of one path are one scope; {@code ..} is
     * refused, because only a file system can resolve it.
     *
     * @param path the normalised path
     */
    record Path(String path) implements Scope {

        public Path {
            path = Paths.normalise(path);
        }

        @Override
        public KeyRange keys() {
            return KeyRange.point(Paths.key(path) + KeyRange.SEPARATOR);
        }

        @Override
        public String toString() {
            return "path:" + path;
        }
    }

    /**
     * An absolute path and everything below it. Normalised as {@link Path} is.
     *
     * @param path the normalised path at the top of the subtree
     */
    record Subtree(String path) implements Scope {

        public Subtree {
            path = Paths.normalise(path);
        }

        @Override
        public KeyRange keys() {
            return KeyRange.under(Paths.key(path));
        }

        @Override
        public String toString() {
            return "subtree:" + path;
        }
    }

    /**
     * A whole inode.
     *
     * @param inode the inode number, all 64 bits, printed unsigned
     */
    record Inode(long inode) implements Scope {

        @Override
        public KeyRange keys() {
            return KeyRange.under("i" + hex(inode));
        }

        @Override
        public String toString() {
            return "inode:" + Long.toUnsignedString(inode);
        }

        /**
         * Sixteen hex digits, so that the order of the texts is the unsigned order of the numbers.
         */
        static String hex(long number) {
            String digits = Long.toHexString(number);
            return "0000000000000000".substring(digits.length()) + digits;
        }
    }

    /**
     * The bytes [start, end) of an inode.
     *
     * @param inode the inode number
     * @param start the first byte, from 0
     * @param end the byte behind the last, above {@code start}
     */
    record ByteRange(long inode, long start, long end) implements Scope {

        public ByteRange {
            if (start < 0) {
                throw new IllegalArgumentException("byte range starts at " + start + ", below 0");
            }
            if (end <= start) {
                throw new IllegalArgumentException("byte range [" + start + ", " + end
                        + ") is empty: the end must be above the start");
            }
        }

        @Override
        public KeyRange keys() {
            String prefix = "i" + Inode.hex(inode) + KeyRange.SEPARATOR;
            return new KeyRange(prefix + Inode.hex(start), prefix + Inode.hex(end));
        }

        @Override
        public String toString() {
            return "range:" + Long.toUnsignedString(inode) + ":" + start + "-" + end;
        }
    }
}
