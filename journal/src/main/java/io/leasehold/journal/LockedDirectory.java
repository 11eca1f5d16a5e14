// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.DiskLock;

import java.io.IOException;

/**
 * A journal's directory that this process has for itself, as long as its lock file is in place.
 *
 * @param directory which
 * @param lock on its lock file
 */
record LockedDirectory(JournalDirectory directory, DiskLock lock) {

    /** Another process may have the journal, too. Nothing may be written any more. */
    static final class LostException extends IOException {

        private static final long serialVersionUID = 1;

        LostException(String message) {
            super(message);
        }
    }

    /**
     * Makes sure that no other process could have locked the directory since.
     *
     * @throws LostException if the lock file was deleted or replaced
     */
    void ensureMine() throws IOException {
        if (!lock.isInPlace()) {
            throw new LostException("its lock file " + directory.lockFile()
                    + " was deleted or replaced while it was open, so another process may have"
                    + " opened it. Make sure that none has, then open it again; never delete the"
                    + " lock file");
        }
    }

    void close() {
        lock.close();
    }
}
