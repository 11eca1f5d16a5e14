// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.DiskFile;
import io.leasehold.table.LeaseTable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A journal that was read and is about to be written.
 *
 * @param moment how far the store had come, this start counted
 * @param standing beside the table
 * @param position where the log goes on
 * @param snapshot the number of the latest one, 0 if there is none
 * @param snapshotBytes its length
 */
record Opening(
        Moment moment,
        Standing standing,
        LogWriter.Position position,
        long snapshot,
        long snapshotBytes) {

    private static final System.Logger LOG = System.getLogger(Opening.class.getName());

    /** How far tokens are raised above the last known one when others may have been drawn since. */
    static final long RAISE = 1L << 32;

    /** Reads the journal into the table and tidies up what the last process left. */
    static Opening of(
            JournalDirectory directory,
            JournalOptions options,
            LeaseTable table,
            Surroundings surroundings) {
        Replay replay = new Replay(table);
        Progress progress =
                new Progress(surroundings.time(), line -> LOG.log(System.Logger.Level.INFO, line));
        try {
            // what is found may be there by a name that was given just before the process ended
            Forced.directory(directory);
            Recovery recovery = new Recovery(directory, replay, progress);
            recovery.ensureLengths();
            Recovery.Tail tail = recovery.read();
            mend(directory, tail);
            long snapshot = tidyUp(directory);
            Standing standing = options.restored()
                    .map(freeze -> raised(replay.standing(), replay.time(), freeze))
                    .orElse(replay.standing())
                    .identified(StoreId.random(surroundings.random()));
            return new Opening(
                    new Moment(replay.time(), replay.start() + 1, standing.lastToken()),
                    standing,
                    new LogWriter.Position(tail.segment(), tail.end(), replay.sequence()),
                    snapshot,
                    snapshot == 0 ? 0 : length(directory, directory.snapshot(snapshot)));
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "the journal " + directory.path() + " can't be opened: "
                            + JournalDirectory.reason(e),
                    e);
        }
    }

    /** What to know, at some time, of a journal that may have forgotten. */
    static Standing raised(Standing standing, long time, Duration freeze) {
        if (standing.lastToken() + RAISE > FencingToken.MAX_VALUE) {
            throw new StoreUnavailableException(
                    "the journal has used up its fencing tokens: start a new one");
        }
        long frozen = Math.max(freeze.toNanos(), standing.longestTtl());
        return standing.and(new Standing(standing.lastToken() + RAISE, time + frozen, 0));
    }

    /**
     * Writes the last batch once more and forces it. It was read, but maybe from the system's
     * memory: its force may have been under way when the process ended, or have failed.
     */
    private static void mend(JournalDirectory directory, Recovery.Tail tail) throws IOException {
        if (tail.end() == 0) {
            return;
        }
        Path path = directory.segment(tail.segment());
        try (DiskFile file = directory.disk().open(path)) {
            ByteBuffer last = ByteBuffer.allocate((int) (tail.end() - tail.last()));
            int unused = file.read(tail.last(), last);
            file.write(tail.last(), last.flip());
            Forced.data(file, path);
        }
    }

    /** Deletes what nobody needs, and says which snapshot counts. */
    private static long tidyUp(JournalDirectory directory) throws IOException {
        JournalDirectory.Contents contents = directory.contents();
        contents.unfinished().forEach(file -> Leftovers.delete(directory.disk(), file));
        Leftovers.deleteBefore(contents.snapshot(), directory);
        return contents.snapshot();
    }

    private static long length(JournalDirectory directory, Path path) throws IOException {
        try (DiskFile file = directory.disk().openToRead(path)) {
            return file.size();
        }
    }
}
