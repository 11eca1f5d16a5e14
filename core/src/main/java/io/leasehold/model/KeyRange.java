// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * A half-open range [from, to) of the one ordered key space that all scopes live in. Two scopes
 * overlap exactly when their ranges intersect, which makes this the only overlap test there is.
 *
 * <p>The space, in {@link String} order (also right in UTF-8 byte order): names are single keys
 * {@code n<name>}; paths are {@code p} followed by every segment behind a {@code \1}, so that a
 * subtree is the run of keys that start with its own; an inode is {@code i<16 hex digits>\1}
 * followed by a 16-digit hex offset. Control characters can't occur in names, so {@code \0}, {@code
 * \1} and {@code \2} are free to delimit.
 *
 * @param from the first key of the range
 * @param to the first key behind the range
 */
public record KeyRange(String from, String to) {

    static final char BELOW = '\0';
    static final char SEPARATOR = '\1';
    static final char ABOVE = '\2';

    static KeyRange point(String key) {
        return new KeyRange(key, key + BELOW);
    }

    /** All keys that start with the given one followed by a separator. */
    static KeyRange under(String prefix) {
        return new KeyRange(prefix + SEPARATOR, prefix + ABOVE);
    }

    /** Whether the two ranges share a key. */
    public boolean intersects(KeyRange other) {
        return from.compareTo(other.to) < 0 && other.from.compareTo(to) < 0;
    }

    /** Whether every key of the other range is in this one. */
    public boolean contains(KeyRange other) {
        return from.compareTo(other.from) <= 0 && other.to.compareTo(to) <= 0;
    }
}
