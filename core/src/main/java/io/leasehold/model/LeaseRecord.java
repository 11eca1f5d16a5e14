// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * A small value at a scope that others may read: while the lease lives, what its holder published
 * with the request (a leader's address); after {@code complete}, what the last holder left behind
 * (a result). Its bytes are never logged.
 */
public final class LeaseRecord {

    /** The largest record: 64 KiB. */
    public static final int MAX_BYTES = 64 * 1024;

    /** What a record is, for whoever lists it without knowing what its bytes mean. */
    public enum Kind {
        /** A value: a result, an address. */
        VALUE,
        /** Work is under way: published with a lease by whoever does it. */
        RUNNING,
        /** The error that work ended in. */
        FAILURE
    }

    private final Kind kind;
    private final byte[] bytes;

    private LeaseRecord(Kind kind, byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new LimitExceededException(
                    "record size",
                    MAX_BYTES,
                    "a record of " + bytes.length + " bytes; at most " + MAX_BYTES);
        }
        this.kind = kind;
        this.bytes = bytes;
    }

    /** A value of a copy of the bytes. */
    public static LeaseRecord of(byte[] bytes) {
        return of(Kind.VALUE, bytes);
    }

    /** A value of the text in UTF-8. */
    public static LeaseRecord of(String text) {
        return new LeaseRecord(Kind.VALUE, text.getBytes(UTF_8));
    }

    /** A record of a copy of the bytes. */
    public static LeaseRecord of(Kind kind, byte[] bytes) {
        return new LeaseRecord(kind, bytes.clone());
    }

    public Kind kind() {
        return kind;
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The bytes read as UTF-8. */
    public String text() {
        return new String(bytes, UTF_8);
    }

    public int size() {
        return bytes.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LeaseRecord that
                && kind == that.kind
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * kind.hashCode() + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "LeaseRecord[" + kind + ", " + bytes.length + " bytes]";
    }
}
