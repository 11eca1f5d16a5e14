// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The machine's file system. Files are read and written through {@link RandomAccessFile}: unlike
 * those of a {@link FileChannel} its calls can't be interrupted, and an interrupt does not close
 * it.
 */
final class SystemDisk implements Disk {

    static final Disk SHARED = new SystemDisk();

    private final SystemLocks locks = new SystemLocks();

    private SystemDisk() {}

    @Override
    public DiskFile open(Path file) throws IOException {
        return existing(file, "rw");
    }

    @Override
    public DiskFile openToRead(Path file) throws IOException {
        return existing(file, "r");
    }

    private static DiskFile existing(Path file, String mode) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        return new SystemFile(new RandomAccessFile(file.toFile(), mode));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw");
        try {
            created.setLength(0);
        } catch (IOException e) {
            created.close();
            throw e;
        }
        return new SystemFile(created);
    }

    @Override
    public boolean exists(Path file) {
        return Files.exists(file);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectories(
                    directory,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectories(directory);
        }
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public boolean delete(Path file) throws IOException {
        return Files.deleteIfExists(file);
    }

    /** An interrupt closes the channel, which is this call's own: it is opened and forced again. */
    @Override
    public void forceDirectory(Path directory) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                    channel.force(true);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public DiskLock lock(Path file, String owner) throws IOException, InterruptedException {
        return locks.lock(file, owner);
    }

    @Override
    public LockAttempt tryLock(Path file, String owner) throws IOException {
        return locks.tryLock(file, owner);
    }

    @Override
    public Optional<String> lockOwner(Path file) throws IOException {
        return Files.exists(file) ? locks.owner(file) : Optional.empty();
    }
}
