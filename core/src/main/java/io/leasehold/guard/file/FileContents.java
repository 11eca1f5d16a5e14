// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.LimitExceededException;

/**
 * A whole file as a change of it sees it. Only for the duration of the change, on one thread.
 * Nothing is written before the change has returned.
 */
public final class FileContents {

    private byte[] bytes;
    private boolean replaced;
    private boolean over;

    FileContents(byte[] bytes) {
        this.bytes = bytes;
    }

    /** What the file holds, or what this change has put there; empty if nothing was written. */
    public byte[] bytes() {
        ensureOpen();
        return bytes.clone();
    }

    /**
     * Puts these bytes in the place of all that was there.
     *
     * @throws LimitExceededException if they are more than {@link GuardedFile#MAX_BYTES}
     */
    public void replace(byte[] with) {
        ensureOpen();
        if (with.length > GuardedFile.MAX_BYTES) {
            throw new LimitExceededException(
                    "bytes of a guarded file",
                    GuardedFile.MAX_BYTES,
                    with.length + " bytes are too many for a guarded file, which is replaced as a"
                            + " whole; use a region file");
        }
        bytes = with.clone();
        replaced = true;
    }

    /** What is to be written. No method works from here on. */
    byte[] end() {
        over = true;
        return bytes;
    }

    boolean isReplaced() {
        return replaced;
    }

    private void ensureOpen() {
        if (over) {
            throw new IllegalStateException("the change is over; start another one");
        }
    }
}
