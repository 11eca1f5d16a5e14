// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.guard.Marks;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A guard of a file that is written at an offset, with a mark for each range of bytes. The file
 * holds just its bytes; the marks are in a log beside it, {@code <file>.marks}.
 *
 * <p>A change is first written to the log, mark and bytes together, and forced; then the bytes are
 * written to the file and forced; then it returns. So a mark is never lower than the bytes that
 * were written under it, a change that has returned is durable, and one that a crash interrupted is
 * completed when the file is next opened or changed, or never happened: no change is seen in part
 * by anyone who reads through a guard.
 *
 * <p>Processes take turns by a lock on {@code <file>.lock}. Any number of guards, threads and
 * processes may share a file. No file is kept open between changes.
 *
 * <p>A change throws {@link StoreUnavailableException} if the file could not be reached and nothing
 * was written, {@link OutcomeUnknownException} if it may have been written, and {@link
 * DamagedFileException} if the log is not what a guard wrote or the file is shorter than what was
 * written: then nothing is admitted until a person has repaired it. A change that itself throws
 * leaves bytes and marks as they were. Thread-safe. Changes don't nest.
 */
public final class GuardedRegionFile implements Guard<FileRegion> {

    /** The most that one change may write, with 12 bytes for each write in it. */
    public static final int MAX_CHANGE_BYTES = 16 << 20;

    /** The largest file. */
    public static final long MAX_SIZE = 1L << 42;

    private static final int LOG_LENGTH = 1 << 20;

    private final Disk disk;
    private final Path file;
    private final Scope resource;
    private final ChangeLock lock; // guards log
    private final RegionLog log;

    private GuardedRegionFile(Disk disk, Path file, Scope resource, int logLength) {
        this.disk = disk;
        this.file = file;
        this.resource = resource;
        this.lock = new ChangeLock(disk, file, resource);
        this.log = new RegionLog(disk, Siblings.marks(file), resource, logLength);
    }

    /**
     * Opens a file with its marks, and completes what a crash interrupted. A file without marks,
     * also one that others have written, has seen no token. Its directory exists. The path is no
     * symbolic link.
     *
     * @param resource an inode for leases on ranges of bytes; with any other scope the file is
     *     written under leases on the whole
     * @throws DamagedFileException if the marks are not as a guard of this resource wrote them
     */
    public static GuardedRegionFile open(Path file, Scope resource) {
        return open(file, resource, Disk.system());
    }

    /** {@link #open(Path, Scope)} on the given disk. */
    public static GuardedRegionFile open(Path file, Scope resource, Disk disk) {
        return open(file, resource, disk, LOG_LENGTH);
    }

    static GuardedRegionFile open(Path file, Scope resource, Disk disk, int logLength) {
        GuardedRegionFile guard =
                new GuardedRegionFile(disk, Siblings.absolute(file), resource, logLength);
        guard.underLock(data -> data.size());
        return guard;
    }

    /** Something to do with the data, all changes up to now applied. */
    private interface Work<T> {
        T with(DiskFile data) throws IOException;
    }

    @Override
    public Scope resource() {
        return resource;
    }

    /** {@inheritDoc} The target is a range of the inode, or the whole resource. */
    @Override
    public <T> T change(Admission admission, Function<? super FileRegion, ? extends T> change) {
        Scope target = admission.target();
        if (!resource.covers(target)
                || !(target instanceof Scope.ByteRange || target.covers(resource))) {
            throw ScopeMismatchException.notGuarded(resource, target);
        }
        return underLock(data -> {
            log.marks().check(admission);
            FileRegion region = new FileRegion(target, data);
            T result;
            List<LogRecord.Piece> pieces;
            try {
                result = change.apply(region);
            } finally {
                pieces = region.end();
            }
            commit(data, new Marks.Range(target.keys(), admission.token()), pieces);
            return result;
        });
    }

    @Override
    public Optional<FencingToken> mark(Scope part) {
        return underLock(data -> log.marks().of(part));
    }

    /**
     * Reads from the file, between changes.
     *
     * @return fewer bytes than asked for where the file ends before
     */
    public byte[] read(long offset, int length) {
        FileRegion.checkOffset(offset);
        FileRegion.checkedLength(length);
        return underLock(data -> new FileRegion(resource, data).read(offset, length));
    }

    private <T> T underLock(Work<T> work) {
        return lock.run(() -> {
            try (DiskFile data = openData()) {
                log.open();
                Optional<LogRecord> unfinished = log.unsure();
                if (unfinished.isPresent()) {
                    log.repeat(unfinished.get());
                    apply(data, unfinished.get());
                }
                if (data.size() < log.extent()) {
                    throw new DamagedFileException(
                            file,
                            data.size(),
                            "it ends there, but was written up to " + log.extent());
                }
                return work.with(data);
            } finally {
                log.close();
            }
        });
    }

    /** A new file is durable by name before anything is written: so is any log when it is read. */
    private DiskFile openData() throws IOException {
        try {
            return disk.open(file);
        } catch (NoSuchFileException e) {
            disk.create(file).close();
            disk.forceDirectory(Siblings.directory(file));
            return disk.open(file);
        }
    }

    private void commit(DiskFile data, Marks.Range mark, List<LogRecord.Piece> pieces)
            throws IOException {
        lock.ensureMine();
        LogRecord record = log.next(mark, pieces);
        if (!log.hasRoom(record)) {
            log.compact(record);
        }
        try {
            log.append(record);
            apply(data, record);
        } catch (IOException e) {
            throw new OutcomeUnknownException(
                    file + " may have been changed; repeat the change with the same token: "
                            + e.getMessage(),
                    e);
        }
    }

    private void apply(DiskFile data, LogRecord record) throws IOException {
        for (LogRecord.Piece piece : record.pieces()) {
            data.write(piece.offset(), ByteBuffer.wrap(piece.bytes()));
        }
        if (!record.pieces().isEmpty()) {
            data.forceData();
        }
        log.applied(record);
    }
}
