// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseRecord;

import java.nio.charset.StandardCharsets;

/**
 * How a lease or request ended, as far as a repeat must be told from another operation.
 *
 * @param end what ended it
 * @param token its last one, 0 if it had none
 * @param digest of a completion, what it left and for how long; 0 for another end, or if not known
 */
public record Outcome(End end, long token, long digest) {

    // FNV-1a: a digest must be the same in every process that reads it back from a file
    private static final long BASIS = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    /** The end of a lease that left nothing. */
    static Outcome of(End end, long token) {
        return new Outcome(end, token, 0);
    }

    /** The end of a lease that left a record to be kept for so long. */
    public static Outcome completed(long token, LeaseRecord record, long keepNanos) {
        long hash = mixed(BASIS, record.kind().name().getBytes(StandardCharsets.UTF_8));
        hash = (hash ^ keepNanos) * PRIME;
        hash = mixed(hash, record.bytes());
        return new Outcome(End.COMPLETED, token, hash == 0 ? 1 : hash);
    }

    private static long mixed(long hash, byte[] bytes) {
        long mixed = hash;
        for (byte each : bytes) {
            mixed = (mixed ^ (each & 0xff)) * PRIME;
        }
        return mixed;
    }

    /** Whether whoever brings about this outcome repeats what led to the one that is remembered. */
    boolean repeats(Outcome remembered) {
        return end == remembered.end
                && token == remembered.token
                && (remembered.digest == 0 || digest == remembered.digest);
    }
}
