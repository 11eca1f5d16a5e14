// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Disk;

import java.io.IOException;
import java.nio.file.Path;

/** Files of no use any more. One that can't be deleted now is deleted at a later start. */
final class Leftovers {

    private static final System.Logger LOG = System.getLogger(Leftovers.class.getName());

    private Leftovers() {}

    static void delete(Disk disk, Path file) {
        try {
            boolean unused = disk.delete(file);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> file + " can't be deleted now: " + JournalDirectory.reason(e));
        }
    }

    /** Deletes what the snapshot of the given number stands for. */
    static void deleteBefore(long number, JournalDirectory directory) throws IOException {
        JournalDirectory.Contents contents = directory.contents();
        contents.snapshots().headMap(number).values().forEach(f -> delete(directory.disk(), f));
        contents.segments().headMap(number).values().forEach(f -> delete(directory.disk(), f));
    }
}
