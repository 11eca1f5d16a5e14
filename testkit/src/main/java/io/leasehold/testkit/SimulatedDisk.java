// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.DiskLock;
import io.leasehold.spi.LockAttempt;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A disk in memory that knows what was forced and what was not, and can lose the rest. With one
 * thread and a seed, a run repeats exactly. Thread-safe.
 *
 * <p>A {@link #crash} is a power loss. Of what was written to a file and not forced, any sectors of
 * 512 bytes are kept and the others lost, so writes are torn and reordered; of the names that were
 * made, changed or deleted in a directory that was not forced since, any are kept. A {@link #kill}
 * is the end of the process: nothing is lost. After both, every call fails and every lock is free,
 * until {@link #restart}; files that were open stay unusable.
 *
 * <p>Every call but a close is counted, and the n-th one can be made to {@linkplain #failAt fail}.
 * A force that fails leaves what it was to force readable but unforceable, as systems do. A disk
 * with a {@linkplain #limit limit} fills up.
 */
public final class SimulatedDisk implements Disk {

    private final ReentrantLock lock = new ReentrantLock(); // guards all fields
    private final SplittableRandom random;
    private final SimulatedNames names = new SimulatedNames();
    private final SimulatedLocks locks = new SimulatedLocks(lock, this::beginLockCheck);
    private long operations;
    private long faults;
    private long faultFrom = Long.MAX_VALUE;
    private long faultTo;
    private DiskFault fault = DiskFault.INPUT_OUTPUT_ERROR;
    private long limit = Long.MAX_VALUE;
    private Runnable duringForces = () -> {};
    private Runnable duringLockChecks = () -> {};
    private long life; // raised by each crash or kill
    private boolean down;
    private boolean powerLost;

    private SimulatedDisk(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** An empty disk; the seed decides what crashes leave. */
    public static SimulatedDisk create(long seed) {
        return new SimulatedDisk(seed);
    }

    /** How many calls there were up to now, those that failed included. */
    public long operations() {
        return locked(() -> operations);
    }

    /** How many calls were made to fail. */
    public long faults() {
        return locked(() -> faults);
    }

    /** Makes one call fail: the n-th from now on, counted from 1. */
    public void failAt(long n, DiskFault with) {
        plan(n, n, with);
    }

    /** Makes all calls fail from the n-th from now on, until {@link #heal}. */
    public void failFrom(long n, DiskFault with) {
        plan(n, Long.MAX_VALUE / 2, with);
    }

    private void plan(long from, long to, DiskFault with) {
        locked(() -> {
            faultFrom = operations + from;
            faultTo = operations + to;
            fault = with;
            return true;
        });
    }

    /** Nothing fails any more. */
    public void heal() {
        locked(() -> faultFrom = Long.MAX_VALUE);
    }

    /**
     * From now on all files together grow to the given number of bytes and no further: a write that
     * needs more writes what fits and fails. Bytes that are there can be overwritten as ever.
     */
    public void limit(long bytes) {
        locked(() -> limit = bytes);
    }

    /**
     * Runs a task within every force of a file from now on, before what was written is safe. It may
     * use the disk: so a test sees what others do, and are told, while a force is under way.
     */
    public void duringForces(Runnable task) {
        locked(() -> duringForces = task);
    }

    /** Runs what is to happen within a force, without the lock. */
    void beginForce() {
        locked(() -> duringForces).run();
    }

    /**
     * Runs a task within every {@link DiskLock#isInPlace} from now on, so that a test can hold it
     * up: it is a look-up on the disk as any other.
     */
    public void duringLockChecks(Runnable task) {
        locked(() -> duringLockChecks = task);
    }

    private void beginLockCheck() {
        locked(() -> duringLockChecks).run();
    }

    /** How many bytes all files have together. */
    public long used() {
        return locked(names::bytes);
    }

    /** How far files may still grow. */
    long room() {
        return locked(() -> Math.max(0, limit - names.bytes()));
    }

    /** The power goes now. */
    public void crash() {
        locked(() -> stop(true));
    }

    /** The process is killed now. */
    public void kill() {
        locked(() -> stop(false));
    }

    private boolean stop(boolean power) {
        down = true;
        powerLost |= power;
        life++;
        locks.clear();
        return true;
    }

    /** Whether it has crashed or was killed, and not restarted. */
    public boolean isDown() {
        return locked(() -> down);
    }

    /** The disk works again; after a power loss, with what it happens to have kept. */
    public void restart() {
        locked(() -> {
            if (powerLost) {
                names.crash(random);
            }
            powerLost = false;
            down = false;
            faultFrom = Long.MAX_VALUE;
            return true;
        });
    }

    /** The bytes of a file as programs see them. */
    public byte[] bytes(Path file) {
        return locked(() -> {
            SimulatedContent content = names.find(key(file));
            if (content == null) {
                throw new IllegalArgumentException("there is no " + file);
            }
            return content.bytes();
        });
    }

    /** Puts a file there as if it had always been there: damaged, old or foreign. */
    public void put(Path file, byte[] bytes) {
        locked(() -> {
            SimulatedContent content = new SimulatedContent();
            content.put(bytes);
            Path key = key(file);
            Path directory = key.resolveSibling("");
            names.makeDirectories(directory);
            names.create(key, content);
            names.force(directory);
            return true;
        });
    }

    @Override
    public DiskFile open(Path file) throws IOException {
        return run(Kind.READ, () -> new SimulatedFile(this, existing(file), life, true));
    }

    @Override
    public DiskFile openToRead(Path file) throws IOException {
        return run(Kind.READ, () -> new SimulatedFile(this, existing(file), life, false));
    }

    @Override
    public Optional<DiskFile> openLocked(Path file) throws IOException {
        return run(Kind.READ, () -> {
            SimulatedContent content = existing(file);
            return locks.tryLock(content)
                    ? Optional.of(SimulatedFile.locked(this, content, life))
                    : Optional.empty();
        });
    }

    /** Frees a file that was opened as locked in the given life. */
    void unlock(SimulatedContent content, long opened) {
        locked(() -> {
            if (opened == life) {
                locks.unlock(content);
            }
            return true;
        });
    }

    @Override
    public DiskFile create(Path file) throws IOException {
        return run(Kind.CHANGE, () -> {
            Path key = key(file);
            SimulatedContent content = names.find(key);
            if (content == null) {
                directoryOf(key);
                content = new SimulatedContent();
                names.create(key, content);
            }
            content.truncate(0);
            return new SimulatedFile(this, content, life, true);
        });
    }

    @Override
    public boolean exists(Path file) throws IOException {
        return run(Kind.READ, () -> names.find(key(file)) != null || names.isDirectory(key(file)));
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return run(Kind.READ, () -> {
            directoryOf(key(directory).resolve("any"));
            return names.in(key(directory));
        });
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        run(Kind.CHANGE, () -> {
            names.makeDirectories(key(directory));
            return true;
        });
    }

    @Override
    public void replace(Path from, Path to) throws IOException {
        run(Kind.CHANGE, () -> {
            SimulatedContent content = existing(from);
            directoryOf(key(to));
            names.rename(key(from), key(to), content);
            return true;
        });
    }

    /** {@inheritDoc} A lock by this name counts no more, though whoever has it is not told. */
    @Override
    public boolean delete(Path file) throws IOException {
        return run(Kind.READ, () -> {
            locks.deleted(key(file));
            boolean there = names.find(key(file)) != null;
            if (there) {
                names.delete(key(file));
            }
            return there;
        });
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        run(Kind.FORCE, () -> {
            names.force(key(directory));
            return true;
        });
    }

    @Override
    public DiskLock lock(Path file, String owner) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            run(Kind.READ, () -> true);
            locks.awaitFree(key(file));
            ensureUp();
            return locks.hold(key(file), owner);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public LockAttempt tryLock(Path file, String owner) throws IOException {
        return run(Kind.READ, () -> {
            Optional<String> other = locks.owner(key(file));
            return other.isPresent()
                    ? new LockAttempt.Held(other.get())
                    : new LockAttempt.Taken(locks.hold(key(file), owner));
        });
    }

    @Override
    public Optional<String> lockOwner(Path file) throws IOException {
        return run(Kind.READ, () -> locks.owner(key(file)));
    }

    private SimulatedContent existing(Path file) throws IOException {
        SimulatedContent content = names.find(key(file));
        if (content == null) {
            throw new NoSuchFileException(file.toString());
        }
        return content;
    }

    private void directoryOf(Path key) throws IOException {
        Path directory = key.getParent();
        if (directory != null && !names.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
    }

    private static Path key(Path file) {
        return file.toAbsolutePath().normalize();
    }

    /** What a call does, under the lock. */
    interface Call<T> {
        T run() throws IOException;
    }

    /** How a call can fail. */
    enum Kind {
        READ,
        CHANGE,
        WRITE,
        FORCE
    }

    private <T> T run(Kind kind, Call<T> call) throws IOException {
        return run(kind, call, () -> {});
    }

    /** Counts and makes a call, or fails it; a write or a force that fails leaves some damage. */
    <T> T run(Kind kind, Call<T> call, Runnable damage) throws IOException {
        lock.lock();
        try {
            ensureUp();
            operations++;
            boolean due = operations >= faultFrom && operations <= faultTo;
            if (!due || !applies(fault, kind)) {
                return call.run();
            }
            faults++;
            fail(kind, call, damage);
            throw new IOException(
                    fault == DiskFault.NO_SPACE
                            ? "No space left on device"
                            : "I/O error: " + fault);
        } finally {
            lock.unlock();
        }
    }

    private static boolean applies(DiskFault fault, Kind kind) {
        return switch (fault) {
            case NO_SPACE -> kind == Kind.CHANGE || kind == Kind.WRITE;
            case SHORT_WRITE -> kind == Kind.WRITE;
            default -> true;
        };
    }

    private <T> void fail(Kind kind, Call<T> call, Runnable damage) throws IOException {
        switch (fault) {
            case SHORT_WRITE -> damage.run();
            case INPUT_OUTPUT_ERROR -> {
                if (kind == Kind.FORCE) {
                    damage.run();
                }
            }
            case NO_SPACE -> {}
            case POWER_LOSS -> {
                if (kind != Kind.FORCE || random.nextBoolean()) {
                    T unused = call.run();
                }
                stop(true);
            }
            case KILL -> {
                T unused = call.run();
                stop(false);
            }
        }
    }

    /** What a force that fails leaves of the content, under the lock. */
    void failForce(SimulatedContent content) {
        content.failForce(random);
    }

    /** Fails if the file was opened before the last crash. */
    void ensureAlive(long opened) throws IOException {
        if (opened != locked(() -> life)) {
            throw new IOException("the file was opened before the crash");
        }
    }

    private void ensureUp() throws IOException {
        if (down) {
            throw new IOException("the machine is down");
        }
    }

    private <T> T locked(Supplier<T> call) {
        lock.lock();
        try {
            return call.get();
        } finally {
            lock.unlock();
        }
    }
}
