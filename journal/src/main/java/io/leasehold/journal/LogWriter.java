// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches to the log, one after the other, each in one write and one force. While one
 * segment fills, the housekeeper lays out the next.
 *
 * <p>Only one thread at a time writes. The other methods may be called by any.
 */
final class LogWriter {

    /** Where the log goes on. */
    record Position(long segment, long end, long sequence) {}

    private final LockFileWatch lockFile;
    private final long segmentBytes;
    private final long start;
    private final Executor housekeeper;
    private long sequence;
    private final long before; // where the last segment of an earlier start ends
    private volatile @Nullable Segment active; // written by the writer only
    private volatile long offset; // in the active segment
    private volatile Spare next;

    /** Goes on behind the given position, in a segment of its own. */
    LogWriter(
            LockFileWatch lockFile,
            long segmentBytes,
            long start,
            Position position,
            Executor housekeeper) {
        this.lockFile = lockFile;
        this.segmentBytes = segmentBytes;
        this.start = start;
        this.housekeeper = housekeeper;
        this.sequence = position.sequence;
        this.before = position.end;
        this.offset = segmentBytes;
        this.next = spare(position.segment + 1);
    }

    /** Where a batch was written: in which segment, and as which in the sequence. */
    record Place(long segment, long sequence) {}

    /**
     * Writes the batch and returns when it is on disk. After a failure nothing may be written.
     *
     * @throws Spare.NoRoomException if it may be tried again after all
     */
    Place write(Batch batch) throws IOException {
        Segment segment = active;
        long at = offset;
        if (segment == null || batch.beginsSegment() || at + batch.extent() > segment.length()) {
            return writeFirst(batch);
        }
        lockFile.checkIfDue();
        ByteBuffer bytes = batch.seal(sequence + 1, start, segment.number(), at);
        segment.file().write(at, bytes);
        Forced.data(segment.file(), segment.path());
        offset = at + bytes.limit();
        sequence++;
        return new Place(segment.number(), sequence);
    }

    /** Begins the next segment: its head and its first batch are one write, too. */
    private Place writeFirst(Batch batch) throws IOException {
        lockFile.check();
        Segment segment = next.take();
        FileHead head = new FileHead(
                segment.number(),
                segment.length(),
                sequence + 1,
                active == null ? before : offset,
                batch.moment(start));
        ByteBuffer body = batch.seal(sequence + 1, start, segment.number(), FileHead.LENGTH);
        ByteBuffer bytes = ByteBuffer.allocate(FileHead.LENGTH + body.limit());
        head.write(FileHead.Kind.SEGMENT, bytes);
        bytes.put(FileHead.LENGTH, body, 0, body.limit());
        segment.file().write(0, bytes);
        Forced.data(segment.file(), segment.path());
        Segment full = active;
        if (full != null) {
            full.file().close();
        }
        active = segment;
        offset = bytes.limit();
        sequence++;
        next = spare(segment.number() + 1);
        housekeeper.execute(next);
        return new Place(segment.number(), sequence);
    }

    private Spare spare(long number) {
        return new Spare(lockFile.directory(), number, segmentBytes);
    }

    /** Whether the next segment is there. */
    boolean hasNext() {
        return next.segment() != null;
    }

    /** Whether the next segment is there for what comes behind so many bytes. */
    boolean hasNextBehind(long pending) {
        Segment segment = active;
        return hasNext() && segment != null && pending <= segment.length() - offset;
    }

    /** Why the next segment could not be laid out, if that was tried and failed. */
    @Nullable
    IOException failureOfNext() {
        return next.failure();
    }

    /** Lays out the next segment after all, if that has failed. */
    void retryNext() {
        Segment last = active;
        if (last != null && next.failure() != null) {
            next = spare(last.number() + 1);
            housekeeper.execute(next);
        }
    }

    /** How many bytes are laid out and not written. */
    long room() {
        Segment segment = active;
        long here = segment == null ? 0 : segment.length() - offset;
        return here + (hasNext() ? segmentBytes - FileHead.LENGTH : 0);
    }

    /** The number of the segment that is being written. */
    long segment() {
        Segment segment = active;
        return segment == null ? 0 : segment.number();
    }

    /** Closes the files. Call it when nothing is written any more. */
    void close() {
        Segment last = active;
        if (last != null) {
            last.file().close();
        }
        Segment blank = next.segment();
        if (blank != null) {
            blank.file().close();
        }
    }
}
