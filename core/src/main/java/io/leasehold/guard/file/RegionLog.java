// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Marks;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.KeyRange;
import io.leasehold.model.Scope;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The log of a region file: a {@link LogHead}, then one {@link LogRecord} per change, each forced
 * before the next is begun. Opened for one change and {@linkplain #close closed} after it; what was
 * read is remembered in between. Not thread-safe: its guard holds the lock of the file.
 *
 * <p><b>What a crash leaves, and why it can be told from damage.</b> At any time at most one record
 * is not known to be durable: the last. A crash may leave any part of it. So bytes that are no
 * record are the torn end of the log if nothing valid follows them, and damage if anything does: a
 * later record, or the record's own slot, which is filled only after the record was forced. A slot
 * is never forced by itself. It may be missing or torn anywhere, which only means that its record,
 * if it is the last, is written and applied again. The log has its full length from the start, so a
 * file of another length was cut by something else than a crash. A record's checksum covers its
 * position: a copy of a record within data is none.
 */
final class RegionLog implements AutoCloseable {

    private final Disk disk;
    private final Path file;
    private final Scope resource;
    private final int minimum;

    private @Nullable DiskFile opened;
    private byte[] fixed = {}; // the fixed part of the head that was read
    private Marks marks;
    private long capacity;
    private long end; // where the next record begins
    private long sequence; // of the next record
    private long extent;
    private @Nullable LogRecord unsure; // the last record, unless it is known to be applied
    private boolean seen;

    RegionLog(Disk disk, Path file, Scope resource, int minimum) {
        this.disk = disk;
        this.file = file;
        this.resource = resource;
        this.minimum = minimum;
        this.marks = new Marks(resource, resource.toString());
    }

    /** What all records up to now have marked. */
    Marks marks() {
        return marks;
    }

    /** The first byte of the data behind all that was written. */
    long extent() {
        return extent;
    }

    /** The last record, if it may be neither durable nor applied. */
    Optional<LogRecord> unsure() {
        return Optional.ofNullable(unsure);
    }

    /**
     * Opens the log, made if there is none, and reads what has come since the last time.
     *
     * @throws DamagedFileException if it is not as it was written
     */
    void open() throws IOException {
        if (!seen) {
            boolean unused = disk.delete(Siblings.temporary(file)); // of a writer that was killed
        }
        if (!disk.exists(file)) {
            if (seen) {
                throw new DamagedFileException(file, 0, "it was deleted, and the marks with it");
            }
            replace(0);
        }
        DiskFile log = disk.open(file);
        opened = log;
        long size = log.size();
        byte[] found = bytes(log, 0, LogHead.FIXED);
        int length = LogHead.lengthIn(file, found, size);
        boolean known = Arrays.equals(found, fixed);
        if (!known) {
            load(LogHead.decode(file, bytes(log, 0, length)), found);
        }
        readOn(log, known);
    }

    /**
     * Takes over a log that was not read before: one that was just put there, or is there by a
     * process that was killed right after. It counts only when its name is durable.
     */
    private void load(LogHead head, byte[] found) throws IOException {
        if (!head.resource().equals(resource.toString())) {
            throw new DamagedFileException(
                    file, LogHead.FIXED, "it guards " + head.resource() + ", not " + resource);
        }
        if (head.sequence() < sequence) {
            throw new DamagedFileException(
                    file,
                    32,
                    "it goes on at change " + head.sequence() + " and was at " + sequence
                            + ": it was put back to an earlier state");
        }
        disk.forceDirectory(Siblings.directory(file));
        Marks loaded = new Marks(resource, resource.toString());
        for (Marks.Range range : head.marks()) {
            raise(loaded, range, LogHead.FIXED);
        }
        marks = loaded;
        capacity = head.capacity();
        end = head.length();
        sequence = head.sequence();
        extent = head.extent();
        unsure = null;
        fixed = found;
        seen = true;
    }

    private void readOn(DiskFile log, boolean known) throws IOException {
        while (true) {
            byte[] start = bytes(log, end, (int) Math.min(32, capacity - end));
            int length = LogRecord.lengthAt(start, 0);
            Optional<LogRecord> record = length == 0 || length + LogRecord.SLOT > capacity - end
                    ? Optional.empty()
                    : LogRecord.decode(bytes(log, end, length), 0, end);
            if (record.isEmpty()) {
                boolean blank = Arrays.equals(start, new byte[start.length]);
                if (!known || !blank) {
                    refuseDamage(log);
                }
                return;
            }
            take(log, record.get(), length);
        }
    }

    private void take(DiskFile log, LogRecord record, int length) throws IOException {
        if (record.sequence() != sequence) {
            throw new DamagedFileException(
                    file, end, "change " + record.sequence() + " where " + sequence + " is due");
        }
        raise(marks, record.mark(), end);
        byte[] slot = bytes(log, end + length, LogRecord.SLOT);
        boolean applied = LogRecord.decodeSlot(slot, 0, end + length)
                .filter(of -> of == record.sequence())
                .isPresent();
        advance(record, length);
        unsure = applied ? null : record;
    }

    private void raise(Marks raised, Marks.Range range, long offset) {
        KeyRange keys = range.keys();
        Optional<FencingToken> mark = raised.of(keys);
        boolean lower = mark.isPresent() && range.token().isOlderThan(mark.get());
        if (lower || !resource.keys().contains(keys)) {
            throw new DamagedFileException(
                    file, offset, "it marks what is not the resource's, or lowers a mark");
        }
        raised.raise(keys, range.token());
    }

    private void advance(LogRecord record, int length) {
        end += length + LogRecord.SLOT;
        sequence++;
        extent = Math.max(extent, record.extent());
    }

    /** At the end of what could be read: nothing behind it may be valid. */
    private void refuseDamage(DiskFile log) throws IOException {
        byte[] rest = bytes(log, end, (int) (capacity - end));
        for (int i = 16; i + LogRecord.SLOT <= rest.length; i += 16) {
            if (LogRecord.decodeSlot(rest, i, end + i).isPresent()
                    || LogRecord.decode(rest, i, end + i).isPresent()) {
                throw new DamagedFileException(
                        file,
                        end,
                        "no change can be read there, but at offset " + (end + i)
                                + " there is what was written after it");
            }
        }
    }

    /** The record that would come next. */
    LogRecord next(Marks.Range mark, List<LogRecord.Piece> pieces) {
        return new LogRecord(sequence, mark, pieces);
    }

    /** Whether there is room for the record; if not, the log is {@link #compact compacted}. */
    boolean hasRoom(LogRecord record) {
        return end + record.length() + LogRecord.SLOT <= capacity;
    }

    /** Replaces the log by one that begins with the marks as they are and has room; opens it. */
    void compact(LogRecord record) throws IOException {
        replace(record.length() + LogRecord.SLOT);
        close();
        open();
    }

    /** The name is not durable yet: that is for who {@linkplain #open opens} it. */
    private void replace(int room) throws IOException {
        LogHead head = new LogHead(resource.toString(), 0, sequence, extent, marks.ranges());
        long length = Math.max(minimum, 2L * (head.length() + room));
        length = (length + 15) & ~15;
        Path temporary = Siblings.temporary(file);
        try (DiskFile written = disk.create(temporary)) {
            written.write(0, ByteBuffer.wrap(head.withCapacity(length).encode()));
            fill(written, head.length(), length);
            written.forceAll();
        }
        disk.replace(temporary, file);
    }

    /** With real zeros, so that the room is there when it is needed. */
    private static void fill(DiskFile log, long from, long to) throws IOException {
        byte[] zeros = new byte[1 << 16];
        for (long at = from; at < to; at += zeros.length) {
            int count = (int) Math.min(zeros.length, to - at);
            log.write(at, ByteBuffer.wrap(zeros, 0, count));
        }
    }

    /** Adds the record and makes it durable. Its token was checked, and there is room. */
    void append(LogRecord record) throws IOException {
        put(record, end);
        marks.raise(record.mark().keys(), record.mark().token());
        advance(record, record.length());
        unsure = record;
    }

    /** Writes the last record once more, in its place, and makes it durable. */
    void repeat(LogRecord last) throws IOException {
        put(last, end - LogRecord.SLOT - last.length());
    }

    private void put(LogRecord record, long position) throws IOException {
        DiskFile log = handle();
        log.write(position, ByteBuffer.wrap(record.encode(position)));
        log.forceData();
    }

    /** The last record was applied, durably. Not forced: see above. */
    void applied(LogRecord last) throws IOException {
        long position = end - LogRecord.SLOT;
        handle().write(position, ByteBuffer.wrap(last.encodeSlot(position)));
        unsure = null;
    }

    private DiskFile handle() {
        DiskFile log = opened;
        if (log == null) {
            throw new IllegalStateException(file + " is not open");
        }
        return log;
    }

    private static byte[] bytes(DiskFile log, long position, int count) throws IOException {
        byte[] bytes = new byte[count];
        int unused = log.read(position, ByteBuffer.wrap(bytes));
        return bytes;
    }

    /** Closes the file and keeps what was read. */
    @Override
    public void close() {
        if (opened != null) {
            opened.close();
            opened = null;
        }
    }
}
