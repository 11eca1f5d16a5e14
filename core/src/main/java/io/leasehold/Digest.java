// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * What a payload boils down to: SHA-256 over its fields in a fixed order, each with its type and
 * its length in front, so that no two different lists of fields give the same bytes. Equal payloads
 * have equal digests in every process and release.
 *
 * <pre>{@code
 * Digest.of("alice", "bob", "42.00")
 * Digest.builder().text(from).text(to).number(cents).absent().build()
 * }</pre>
 */
public final class Digest {

    /** The length of a digest in bytes. */
    static final int BYTES = 32;

    private final byte[] bytes;

    private Digest(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The digest of some text fields.
     *
     * @throws IllegalArgumentException if one has an unpaired surrogate
     */
    public static Digest of(String... fields) {
        Builder builder = builder();
        for (String field : fields) {
            builder.text(field);
        }
        return builder.build();
    }

    /** The digest of bytes that are canonical already. */
    public static Digest of(byte[] payload) {
        return builder().bytes(payload).build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Reads the 64 hex digits that {@link #toString()} writes. */
    public static Digest parse(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                    "a digest of " + bytes.length + " bytes; SHA-256 has " + BYTES);
        }
        return new Digest(bytes);
    }

    static Digest ofRaw(byte[] bytes) {
        return new Digest(bytes.clone());
    }

    byte[] raw() {
        return bytes.clone();
    }

    /** Where a text has half of a character; -1 if nowhere. */
    static int unpairedSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
                    return i;
                }
                i++; // a pair
            }
        }
        return -1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }

    /** Takes the fields one by one; their order matters. Not thread-safe. */
    public static final class Builder {

        private final MessageDigest sha256;

        private Builder() {
            try {
                sha256 = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every JDK has SHA-256", e);
            }
        }

        /**
         * A text, which differs from every other one.
         *
         * @throws IllegalArgumentException if it has an unpaired surrogate: it is no text then, and
         *     UTF-8 can't tell it from others
         */
        public Builder text(String field) {
            int unpaired = unpairedSurrogate(field);
            if (unpaired >= 0) {
                throw new IllegalArgumentException(
                        "the text field has an unpaired surrogate at index " + unpaired
                                + "; give what is not text as bytes(…)");
            }
            return add('t', field.getBytes(UTF_8));
        }

        public Builder number(long field) {
            return add('n', ByteBuffer.allocate(Long.BYTES).putLong(field).array());
        }

        public Builder bytes(byte[] field) {
            return add('b', field);
        }

        /** A field without a value, which differs from an empty one. */
        public Builder absent() {
            return add('-', new byte[0]);
        }

        /** The digest of what was given; the builder is of no more use. */
        public Digest build() {
            return new Digest(sha256.digest());
        }

        private Builder add(char type, byte[] field) {
            sha256.update((byte) type);
            sha256.update(
                    ByteBuffer.allocate(Integer.BYTES).putInt(field.length).array());
            sha256.update(field);
            return this;
        }
    }
}
