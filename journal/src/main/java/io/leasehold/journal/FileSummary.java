// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.nio.file.Path;

/**
 * A file of a journal.
 *
 * @param file where
 * @param kind what it is
 * @param length of the file
 * @param used up to where there is anything; 0 if it was not read
 * @param batches how many were read
 * @param entries how many, in all batches
 */
public record FileSummary(Path file, Kind kind, long length, long used, int batches, long entries) {

    /** What a file is. */
    public enum Kind {
        /** Stands for everything before the segment of its number. */
        SNAPSHOT,
        /** A part of the log. */
        SEGMENT,
        /** The next part of the log, laid out and not begun. */
        SPARE,
        /** Not read to its end: damaged, behind damage, or of no use since there is a snapshot. */
        UNREAD,
        /** In the making, or left over from that. */
        UNFINISHED
    }

    static FileSummary unread(Path file, Kind kind, long length) {
        return new FileSummary(file, kind, length, 0, 0, 0);
    }
}
