// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.DamagedFileException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.DiskLock;
import io.leasehold.spi.LockAttempt;
import io.leasehold.table.Deliveries;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableEntry;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A journal to be read only, with bytes that a test may change in place, and files that it may cut
 * short. Cheap, so that it can be read very often.
 */
final class Damage implements Disk {

    private static final VirtualTime TIME = VirtualTime.create();

    private final Map<Path, byte[]> files;
    private Path cut = Path.of("none");
    private int length;

    Damage(Map<Path, byte[]> files) {
        this.files = new TreeMap<>(files);
    }

    /** The names of its files. */
    List<Path> names() {
        return List.copyOf(files.keySet());
    }

    /** The bytes of a file, to be changed. */
    byte[] bytes(Path file) {
        return Objects.requireNonNull(files.get(file));
    }

    /** Takes a file away. */
    void remove(Path file) {
        byte[] removed = files.remove(file);
        Objects.requireNonNull(removed);
    }

    /** Lets one file end early. */
    void cut(Path file, int at) {
        cut = file;
        length = at;
    }

    /** What a journal comes to. */
    record State(
            List<TableEntry> entries, Standing standing, long time, long sequence, long start) {}

    /**
     * Reads the journal as a start does.
     *
     * @throws DamagedFileException if that refuses to
     */
    State read() {
        LeaseTable table =
                new LeaseTable(TableOptions.defaults(), 1, 0, new Recorder(new Deliveries()));
        Replay replay = new Replay(table);
        try {
            Recovery recovery = new Recovery(
                    new JournalDirectory(Stores.DIRECTORY, this),
                    replay,
                    new Progress(TIME, line -> {}));
            recovery.ensureLengths();
            Recovery.Tail unused = recovery.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<TableEntry> entries = new ArrayList<>();
        boolean more = table.copy().read(Integer.MAX_VALUE, entries::add);
        if (more) {
            throw new AssertionError("there are more entries than can be");
        }
        return new State(
                entries, replay.standing(), replay.time(), replay.sequence(), replay.start());
    }

    /** The file that a start refuses. */
    Path refused() {
        try {
            State state = read();
            throw new AssertionError("it is read: " + state);
        } catch (DamagedFileException refusal) {
            return refusal.file();
        }
    }

    @Override
    public DiskFile openToRead(Path file) {
        byte[] bytes = bytes(file);
        return new Opened(bytes, file.equals(cut) ? length : bytes.length);
    }

    @Override
    public List<Path> list(Path directory) {
        return List.copyOf(files.keySet());
    }

    @Override
    public boolean exists(Path file) {
        return files.containsKey(file);
    }

    /** A file of it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Opened(byte[] bytes, int length) implements DiskFile {

        @Override
        public int read(long position, ByteBuffer into) {
            int count = (int) Math.max(0, Math.min(into.remaining(), length - position));
            into.put(bytes, (int) Math.min(position, length), count);
            return count;
        }

        @Override
        public long size() {
            return length;
        }

        @Override
        public void write(long position, ByteBuffer from) {
            throw readOnly();
        }

        @Override
        public long append(ByteBuffer from) {
            throw readOnly();
        }

        @Override
        public void truncate(long size) {
            throw readOnly();
        }

        @Override
        public void forceData() {
            throw readOnly();
        }

        @Override
        public void forceAll() {
            throw readOnly();
        }

        @Override
        public void close() {}
    }

    private static AssertionError readOnly() {
        return new AssertionError("a journal that is read is not written");
    }

    @Override
    public DiskFile open(Path file) {
        throw readOnly();
    }

    @Override
    public Optional<DiskFile> openLocked(Path file) {
        throw readOnly();
    }

    @Override
    public DiskFile create(Path file) {
        throw readOnly();
    }

    @Override
    public void createDirectories(Path directory) {
        throw readOnly();
    }

    @Override
    public void replace(Path from, Path to) {
        throw readOnly();
    }

    @Override
    public boolean delete(Path file) {
        throw readOnly();
    }

    @Override
    public void forceDirectory(Path directory) {
        throw readOnly();
    }

    @Override
    public DiskLock lock(Path file, String owner) {
        throw readOnly();
    }

    @Override
    public LockAttempt tryLock(Path file, String owner) {
        throw readOnly();
    }

    @Override
    public Optional<String> lockOwner(Path file) {
        throw readOnly();
    }
}
