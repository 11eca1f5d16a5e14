// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Locks between processes. The system's locks belong to a process, not to a thread, and POSIX drops
 * them all as soon as the process closes <em>any</em> handle of the lock file. So the threads of
 * this process first take turns, and only the one whose turn it is opens the file.
 */
final class SystemLocks {

    private static final int MAX_OWNER = 200;

    private final ReentrantLock lock = new ReentrantLock(); // guards turns and their users
    private final Map<Path, Turn> turns = new HashMap<>(); // those that anybody has or waits for

    /** Whose turn it is in this process, for one lock file. */
    private static final class Turn {
        final Semaphore free = new Semaphore(1);
        int users;
        volatile String owner = "";
    }

    DiskLock lock(Path file, String owner) throws IOException, InterruptedException {
        Path key = key(file);
        Turn turn = join(key);
        try {
            turn.free.acquire();
        } catch (InterruptedException e) {
            leave(key, turn);
            throw e;
        }
        RandomAccessFile opened = null;
        try {
            opened = new RandomAccessFile(key.toFile(), "rw");
            Object unused = opened.getChannel().lock();
            return hold(key, turn, opened, owner);
        } catch (ClosedByInterruptException | FileLockInterruptionException e) {
            end(key, turn, opened);
            Thread.interrupted(); // from here on the exception says it
            throw new InterruptedException("interrupted while waiting for " + file);
        } catch (IOException | RuntimeException e) {
            end(key, turn, opened);
            throw failure(file, e);
        }
    }

    LockAttempt tryLock(Path file, String owner) throws IOException {
        Path key = key(file);
        Turn turn = join(key);
        if (!turn.free.tryAcquire()) {
            String other = turn.owner;
            leave(key, turn);
            return new LockAttempt.Held(other);
        }
        RandomAccessFile opened = null;
        try {
            opened = new RandomAccessFile(key.toFile(), "rw");
            if (opened.getChannel().tryLock() != null) {
                return new LockAttempt.Taken(hold(key, turn, opened, owner));
            }
            String other = ownerIn(opened);
            end(key, turn, opened);
            return new LockAttempt.Held(other);
        } catch (IOException | RuntimeException e) {
            end(key, turn, opened);
            throw failure(file, e);
        }
    }

    /**
     * Who has the lock. The system is asked by a shared lock that is given back at once; meanwhile
     * no thread of this process gets a turn, rather than be refused for it.
     */
    Optional<String> owner(Path file) throws IOException {
        Path key = key(file);
        lock.lock();
        try {
            Turn turn = turns.get(key);
            return turn == null ? ownerElsewhere(key) : Optional.of(turn.owner);
        } finally {
            lock.unlock();
        }
    }

    private static Optional<String> ownerElsewhere(Path key) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(key.toFile(), "r")) {
            boolean free = opened.getChannel().tryLock(0, Long.MAX_VALUE, true) != null;
            return free ? Optional.empty() : Optional.of(ownerIn(opened));
        } catch (RuntimeException e) {
            throw failure(key, e);
        }
    }

    private DiskLock hold(Path key, Turn turn, RandomAccessFile opened, String owner)
            throws IOException {
        String line = owner.length() > MAX_OWNER ? owner.substring(0, MAX_OWNER) : owner;
        turn.owner = line;
        if (!ownerIn(opened).equals(line)) {
            opened.setLength(0);
            opened.seek(0);
            opened.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        AtomicBoolean held = new AtomicBoolean(true);
        return () -> {
            if (held.getAndSet(false)) {
                end(key, turn, opened);
            }
        };
    }

    private static String ownerIn(RandomAccessFile opened) throws IOException {
        byte[] text = new byte[4 * MAX_OWNER];
        opened.seek(0);
        int length = Math.max(0, opened.read(text));
        return new String(text, 0, length, StandardCharsets.UTF_8).strip();
    }

    /** Closing the file frees the system's lock; only then is it another thread's turn. */
    private void end(Path key, Turn turn, @Nullable RandomAccessFile opened) {
        try {
            if (opened != null) {
                opened.close();
            }
        } catch (IOException e) {
            // the handle is gone all the same, and the lock with it
        } finally {
            turn.owner = "";
            turn.free.release();
            leave(key, turn);
        }
    }

    /** One key for all spellings of the directory's path. The lock file itself is no link. */
    private static Path key(Path file) throws IOException {
        Path absolute = file.toAbsolutePath().normalize();
        Path directory = absolute.getParent();
        return directory == null
                ? absolute
                : directory.toRealPath().resolve(absolute.getFileName());
    }

    private static IOException failure(Path file, Exception e) {
        if (e instanceof OverlappingFileLockException) {
            return new IOException(file + " is locked by this process under another name", e);
        }
        return e instanceof IOException io ? io : new IOException(file + " can't be locked", e);
    }

    private Turn join(Path key) {
        lock.lock();
        try {
            Turn turn = turns.computeIfAbsent(key, unused -> new Turn());
            turn.users++;
            return turn;
        } finally {
            lock.unlock();
        }
    }

    private void leave(Path key, Turn turn) {
        lock.lock();
        try {
            turn.users--;
            if (turn.users == 0) {
                turns.remove(key);
            }
        } finally {
            lock.unlock();
        }
    }
}
