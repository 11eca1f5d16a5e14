// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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

    private SystemDisk() {}

    @Override
    public DiskFile open(Path file) throws IOException {
        return existing(file, "rw");
    }

    @Override
    public DiskFile openToRead(Path file) throws IOException {
        return existing(file, "r");
    }

    /** A name that is given to another file meanwhile is for one that nobody locks. */
    private static DiskFile existing(Path file, String mode) throws IOException {
        boolean writable = mode.equals("rw");
        String key = FileKeys.of(file);
        RandomAccessFile idle = writable ? null : FileTurns.reuse(key);
        if (idle != null) {
            return SystemFile.of(idle, false, key);
        }
        return opened(file, mode, key);
    }

    private static DiskFile opened(Path file, String mode, String before) throws IOException {
        RandomAccessFile opened;
        try {
            opened = new RandomAccessFile(file.toFile(), mode);
        } catch (FileNotFoundException e) {
            String unused = FileKeys.of(file); // says so if it was deleted meanwhile
            throw e;
        }
        String key = before;
        try {
            key = FileKeys.of(file);
        } catch (NoSuchFileException e) {
            // it has lost its name and stays what it is
        }
        return SystemFile.of(opened, mode.equals("rw"), key);
    }

    @Override
    public Optional<DiskFile> openLocked(Path file) throws IOException {
        return Optional.ofNullable(SystemLocks.openLocked(file));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        FileModes.createFile(file);
        DiskFile created = existing(file, "rw");
        try {
            created.truncate(0);
        } catch (IOException e) {
            created.close();
            throw e;
        }
        return created;
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
        FileModes.createDirectories(directory);
    }

    /** A power loss may leave the new file with the mode 0600, and never with a wider one. */
    @Override
    public void replace(Path from, Path to) throws IOException {
        FileModes.copy(to, from);
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
        return SystemLocks.lock(file, owner);
    }

    @Override
    public LockAttempt tryLock(Path file, String owner) throws IOException {
        return SystemLocks.tryLock(file, owner);
    }

    @Override
    public Optional<String> lockOwner(Path file) throws IOException {
        return SystemLocks.owner(file);
    }
}
