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

    private final byte[] bytes;

    private LeaseRecord(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new LimitExceededException(
                    "record size",
                    MAX_BYTES,
                    "a record of " + bytes.length + " bytes; at most " + MAX_BYTES);
        }
        this.bytes = bytes;
    }

    /** A record of a copy of the bytes. */
    public static LeaseRecord of(byte[] bytes) {
        return new LeaseRecord(bytes.clone());
    }

    /** A record of the text in UTF-8. */
    public static LeaseRecord of(String text) {
        return new LeaseRecord(text.getBytes(UTF_8));
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
        return other instanceof LeaseRecord that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "LeaseRecord[" + bytes.length + " bytes]";
    }
}
