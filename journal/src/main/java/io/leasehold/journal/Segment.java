// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A segment of the log that was laid out in full, as zeros, before anything is written to it: so a
 * write neither needs room nor changes the file's length, and what was never written can be told. It
 * is locked while it is open: whoever opens the journal finds out that it is written, also if the
 * lock file was deleted.
 *
 * @param number in the order of the segments
 * @param length of the file
 * @param path where it is
 * @param file open to write, and locked
 */
record Segment(long number, long length, Path path, DiskFile file) {

    private static final int CHUNK = 1 << 20;

    /** The segment of this number if it is laid out and nothing was ever written to it. */
    static @Nullable Segment findBlank(JournalDirectory directory, long number, long length)
            throws IOException {
        Path path = directory.segment(number);
        if (!directory.disk().exists(path)) {
            return null;
        }
        DiskFile file = locked(directory, path);
        boolean blank = false;
        try {
            blank = file.size() == length
                    && new BatchScanner(file, number, length).isBlank(0, length);
            return blank ? new Segment(number, length, path, file) : null;
        } finally {
            if (!blank) {
                file.close();
            }
        }
    }

    private static DiskFile locked(JournalDirectory directory, Path path) throws IOException {
        return directory
                .disk()
                .openLocked(path)
                .orElseThrow(() -> new LockedDirectory.LostException("another process has "
                        + path.getFileName() + " locked, and so the journal. Stop one of the two,"
                        + " then open it again"));
    }

    /** Lays out a segment. When it has its name, it has its length. */
    static Segment make(JournalDirectory directory, long number, long length) throws IOException {
        Path path = directory.segment(number);
        Path temporary = JournalDirectory.temporary(path);
        try {
            layOut(directory, temporary, length);
            directory.disk().replace(temporary, path);
            Forced.directory(directory);
        } catch (IOException e) {
            Leftovers.delete(directory.disk(), temporary);
            // the name may be there, and no later force would say whether it stays
            Leftovers.delete(directory.disk(), path);
            throw e;
        }
        return new Segment(number, length, path, locked(directory, path));
    }

    private static void layOut(JournalDirectory directory, Path temporary, long length)
            throws IOException {
        try (DiskFile file = directory.disk().create(temporary)) {
            ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(CHUNK, length));
            for (long at = 0; at < length; at += zeros.capacity()) {
                file.write(at, zeros.clear().limit((int) Math.min(CHUNK, length - at)));
            }
            Forced.all(file, temporary);
        }
    }
}
