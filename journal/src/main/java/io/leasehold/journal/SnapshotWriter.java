// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.DiskFile;
import io.leasehold.table.TableCopy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a copy of the table to a file, a slice at a time: the store's lock is held while a slice is
 * turned into bytes, and not while these are written. When the file is complete and forced it gets
 * its name; so under that name there is a whole snapshot or none.
 */
final class SnapshotWriter {

    private static final int SLICE = 512;
    private static final int FULL = 1 << 18;

    private final JournalDirectory directory;
    private final ReentrantLock lock;
    private final Contents contents;
    private final Path path;
    private final Path temporary;
    private final DiskFile file;
    private Batch batch = new Batch();
    private long offset = FileHead.LENGTH;
    private long sequence;
    private long entries;

    /**
     * What goes into it.
     *
     * @param copy of the table, made when the segment was begun
     * @param standing at that time
     * @param moment of that time
     * @param place the segment and the batch that come behind it
     */
    record Contents(TableCopy copy, Standing standing, Moment moment, LogWriter.Place place) {}

    SnapshotWriter(JournalDirectory directory, ReentrantLock lock, Contents contents)
            throws IOException {
        this.directory = directory;
        this.lock = lock;
        this.contents = contents;
        this.path = directory.snapshot(contents.place.segment());
        this.temporary = JournalDirectory.temporary(path);
        this.file = directory.disk().create(temporary);
        batch.add(contents.standing);
    }

    /**
     * Writes the next slice.
     *
     * @return whether there is more
     */
    boolean step() throws IOException {
        boolean more;
        lock.lock();
        try {
            more = contents.copy.read(SLICE, batch::add);
        } finally {
            lock.unlock();
        }
        if (batch.extent() >= FULL || !more) {
            writeBatch();
        }
        return more;
    }

    private void writeBatch() throws IOException {
        Moment moment = contents.moment;
        batch.at(moment.time(), moment.lastToken());
        entries += batch.entries();
        ByteBuffer bytes = batch.seal(++sequence, moment.start(), contents.place.segment(), offset);
        file.write(offset, bytes);
        offset += bytes.limit();
        batch = new Batch();
    }

    /** The number that it will have. */
    long segment() {
        return contents.place.segment();
    }

    /** Makes it the snapshot that counts, and returns its length. */
    long finish() throws IOException {
        ByteBuffer head = ByteBuffer.allocate(FileHead.LENGTH);
        new FileHead(
                        contents.place.segment(),
                        offset,
                        contents.place.sequence(),
                        entries,
                        contents.moment)
                .write(FileHead.Kind.SNAPSHOT, head);
        file.write(0, head);
        Forced.all(file, temporary);
        file.close();
        directory.disk().replace(temporary, path);
        Forced.directory(directory);
        return offset;
    }

    void giveUp() {
        file.close();
        Leftovers.delete(directory.disk(), temporary);
    }
}
