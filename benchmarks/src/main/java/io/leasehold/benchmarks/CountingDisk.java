// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.DiskLock;
import io.leasehold.spi.LockAttempt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The machine's disk, and how often data was forced to it. */
final class CountingDisk implements Disk {

    private final Disk disk = Disk.system();
    private final AtomicLong forces = new AtomicLong();

    long forces() {
        return forces.get();
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return new CountingFile(disk.open(file), forces);
    }

    @Override
    public DiskFile openToRead(Path file) throws IOException {
        return disk.openToRead(file);
    }

    @Override
    public Optional<DiskFile> openLocked(Path file) throws IOException {
        return disk.openLocked(file).map(opened -> new CountingFile(opened, forces));
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return new CountingFile(disk.create(file), forces);
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return disk.exists(file);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        disk.createDirectories(directory);
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
        disk.replace(from, to);
    }

    @Override
    public boolean delete(Path file) throws IOException {
        return disk.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        disk.forceDirectory(directory);
    }

    @Override
    public DiskLock lock(Path file, String owner) throws IOException, InterruptedException {
        return disk.lock(file, owner);
    }

    @Override
    public Optional<String> lockOwner(Path file) throws IOException {
        return disk.lockOwner(file);
    }

    @Override
    public LockAttempt tryLock(Path file, String owner) throws IOException {
        return disk.tryLock(file, owner);
    }

    private record CountingFile(DiskFile file, AtomicLong forces) implements DiskFile {

        @Override
        public int read(long position, ByteBuffer into) throws IOException {
            return file.read(position, into);
        }

        @Override
        public void write(long position, ByteBuffer from) throws IOException {
            file.write(position, from);
        }

        @Override
        public long append(ByteBuffer from) throws IOException {
            return file.append(from);
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void forceData() throws IOException {
            forces.incrementAndGet();
            file.forceData();
        }

        @Override
        public void forceAll() throws IOException {
            file.forceAll();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
