// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;

/**
 * A guard of a whole file that has the mark inside: each change writes mark and data to a new file,
 * forces it, and puts it in the place of the old one. Whatever is interrupted, by kill or by power
 * loss, leaves the old file or the new one, and a change that has returned is durable.
 *
 * <p>Processes take turns by a lock on {@code <file>.lock}. Any number of guards, threads and
 * processes may share a file. A new file is for its owner alone, where the file system knows owners;
 * a change keeps the file's owner, group and mode. For files up to {@link #MAX_BYTES}, which are read and written whole;
 * {@link GuardedRegionFile} is for large ones.
 *
 * <p>A change throws {@link StoreUnavailableException} if the file could not be reached and nothing
 * was written, {@link OutcomeUnknownException} if it may have been written, and {@link
 * DamagedFileException} if the file is not what a guard wrote: then nothing is admitted until a
 * person has repaired it. A change that itself throws leaves data and mark as they were.
 * Thread-safe. Changes don't nest.
 */
public final class GuardedFile implements Guard<FileContents> {

    /** The most data that a file may hold. */
    public static final int MAX_BYTES = 64 << 20;

    private final Disk disk;
    private final Path file;
    private final Path temporary;
    private final Scope resource;
    private final ChangeLock lock; // guards durable and seen
    private byte[] durable = {}; // the header of the file as this guard last made it durable
    private long seen; // the highest mark that this guard found

    private GuardedFile(Disk disk, Path file, Scope resource) {
        this.disk = disk;
        this.file = file;
        this.temporary = Siblings.temporary(file);
        this.resource = resource;
        this.lock = new ChangeLock(disk, file, resource);
    }

    /**
     * Opens a guarded file, or one that will exist with its first change. Its directory exists. The
     * path is no symbolic link.
     *
     * @throws DamagedFileException if there is a file that no guard of this resource has written
     */
    public static GuardedFile open(Path file, Scope resource) {
        return open(file, resource, Disk.system());
    }

    /** {@link #open(Path, Scope)} on the given disk. */
    public static GuardedFile open(Path file, Scope resource, Disk disk) {
        GuardedFile guard = new GuardedFile(disk, Siblings.absolute(file), resource);
        guard.lock.run(() -> {
            boolean unused = disk.delete(guard.temporary); // of a writer that was killed
            return guard.load();
        });
        return guard;
    }

    /**
     * The data of a guarded file, for readers that have to do with neither leases nor locks.
     *
     * @throws DamagedFileException if it is not as a guard wrote it
     * @throws StoreUnavailableException if it is not there or can't be read
     */
    public static byte[] read(Path file) {
        try {
            return FileImage.decode(file, bytes(Disk.system(), file)).data();
        } catch (IOException e) {
            throw new StoreUnavailableException(file + " can't be read: " + e.getMessage(), e);
        }
    }

    @Override
    public Scope resource() {
        return resource;
    }

    /**
     * {@inheritDoc} The file is one thing: the admission is for all of the resource.
     *
     * @throws LimitExceededException if the change puts too much into the file; nothing changed
     */
    @Override
    public <T> T change(Admission admission, Function<? super FileContents, ? extends T> change) {
        if (!resource.covers(admission.target()) || !admission.target().covers(resource)) {
            throw ScopeMismatchException.notGuarded(resource, admission.target());
        }
        return lock.run(() -> {
            FileImage before = load();
            check(admission.token(), before);
            FileContents contents = new FileContents(before.data());
            T result;
            byte[] data;
            try {
                result = change.apply(contents);
            } finally {
                data = contents.end();
            }
            FileImage after =
                    new FileImage(resource.toString(), admission.token().value(), data);
            if (contents.isReplaced() || after.mark() != before.mark()) {
                write(after.encode());
            } else {
                confirm(after.encode());
            }
            return result;
        });
    }

    private void check(FencingToken token, FileImage before) {
        if (token.value() < before.mark()) {
            throw new StaleTokenException(
                    resource.toString(), token, new FencingToken(before.mark()));
        }
    }

    /** What is in the file now. Needs no lock: a file is replaced as a whole. */
    public byte[] read() {
        return image().data();
    }

    @Override
    public Optional<FencingToken> mark(Scope part) {
        if (!resource.covers(part)) {
            throw ScopeMismatchException.notGuarded(resource, part);
        }
        return image().token();
    }

    private FileImage image() {
        try {
            return current();
        } catch (IOException e) {
            throw new StoreUnavailableException(file + " can't be read: " + e.getMessage(), e);
        }
    }

    /** What is in the file, which must not have gone back behind what this guard has seen. */
    private FileImage load() throws IOException {
        FileImage image = current();
        if (image.mark() < seen) {
            throw new DamagedFileException(
                    file,
                    16,
                    "its mark was " + seen + " and is now " + image.mark()
                            + ": it was deleted or put back to an earlier state");
        }
        seen = image.mark();
        return image;
    }

    private FileImage current() throws IOException {
        FileImage image;
        try {
            image = FileImage.decode(file, bytes(disk, file));
        } catch (NoSuchFileException e) {
            return new FileImage(resource.toString(), 0, new byte[0]);
        }
        if (!image.resource().equals(resource.toString())) {
            throw new DamagedFileException(
                    file, 36, "it guards " + image.resource() + ", not " + resource);
        }
        return image;
    }

    private static byte[] bytes(Disk disk, Path file) throws IOException {
        try (DiskFile opened = disk.openToRead(file)) {
            long size = opened.size();
            if (size > FileImage.MAX_SIZE) {
                throw new DamagedFileException(
                        file, FileImage.MAX_SIZE, "it is longer than a guarded file can be");
            }
            byte[] bytes = new byte[(int) size];
            int read = opened.read(0, ByteBuffer.wrap(bytes));
            return read < size ? Arrays.copyOf(bytes, read) : bytes;
        }
    }

    /** Forced before it is renamed, so that the name never stands for less than all of it. */
    private void write(byte[] image) {
        durable = new byte[0];
        try (DiskFile written = disk.create(temporary)) {
            written.write(0, ByteBuffer.wrap(image));
            written.forceAll();
            lock.ensureMine();
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    file + " was not changed, because " + temporary.getFileName()
                            + " can't be written: " + e.getMessage(),
                    e);
        }
        try {
            disk.replace(temporary, file);
            disk.forceDirectory(Siblings.directory(file));
        } catch (IOException e) {
            throw new OutcomeUnknownException(
                    file + " may have been changed; repeat the change with the same token: "
                            + e.getMessage(),
                    e);
        }
        durable = FileImage.header(image);
        seen = ByteBuffer.wrap(image).getLong(16);
    }

    /**
     * Nothing is to be changed. But what is there may be by a process that was killed before it
     * forced the directory, and then a power loss could still take it back.
     */
    private void confirm(byte[] image) {
        if (!Arrays.equals(FileImage.header(image), durable)) {
            write(image);
        }
    }
}
