// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.DiskFile;

import java.io.IOException;
import java.nio.file.Path;

/** Forces, and tells a force that failed from all other failures: it is never tried again. */
final class Forced {

    private Forced() {}

    /** The disk would not say that what was written is there. */
    static final class FailedException extends IOException {

        private static final long serialVersionUID = 1;

        FailedException(Path path, IOException cause) {
            super("forcing " + path + " to disk failed: " + JournalDirectory.reason(cause), cause);
        }
    }

    static void data(DiskFile file, Path path) throws IOException {
        try {
            file.forceData();
        } catch (IOException e) {
            throw new FailedException(path, e);
        }
    }

    static void all(DiskFile file, Path path) throws IOException {
        try {
            file.forceAll();
        } catch (IOException e) {
            throw new FailedException(path, e);
        }
    }

    static void directory(JournalDirectory directory) throws IOException {
        try {
            directory.disk().forceDirectory(directory.path());
        } catch (IOException e) {
            throw new FailedException(directory.path(), e);
        }
    }
}
