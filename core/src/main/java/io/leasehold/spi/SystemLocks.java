// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.spi.FileTurns.Attempt;
import io.leasehold.spi.FileTurns.Turn;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Locks between processes. All threads of this JVM first take {@linkplain FileTurns turns}, by the
 * key of the file, and only the one whose turn it is opens the file.
 *
 * <p>A lock counts only while the name stands for the file that was locked: whoever comes next
 * locks what the name stands for. So the name is looked at after each step that may take time, and
 * if it stands for another file all is done again with that one.
 */
final class SystemLocks {

    private static final int MAX_OWNER = 200;

    /** Behind the end of every file, so that others can read a locked one on every system. */
    private static final long BEHIND = 1L << 62;

    private SystemLocks() {}

    static DiskLock lock(Path file, String owner) throws IOException, InterruptedException {
        while (true) {
            Turn turn = FileTurns.take(identify(file, true));
            RandomAccessFile opened = null;
            try {
                opened = open(file, turn, "rw");
                if (opened != null) {
                    Object unused = opened.getChannel().lock();
                    if (FileKeys.isNow(turn.key(), file)) {
                        return hold(file, turn, opened, owner);
                    }
                }
                turn.end(opened);
            } catch (ClosedByInterruptException | FileLockInterruptionException e) {
                turn.end(opened);
                Thread.interrupted(); // from here on the exception says it
                throw new InterruptedException("interrupted while waiting for " + file);
            } catch (IOException | RuntimeException e) {
                turn.end(opened);
                throw failure(file, e);
            }
        }
    }

    static LockAttempt tryLock(Path file, String owner) throws IOException {
        while (true) {
            Attempt attempt = FileTurns.tryTake(identify(file, true));
            Turn turn = attempt.turn();
            if (turn == null) {
                return new LockAttempt.Held(attempt.owner());
            }
            RandomAccessFile opened = null;
            try {
                opened = open(file, turn, "rw");
                boolean locked = opened != null && opened.getChannel().tryLock() != null;
                if (opened != null && locked && FileKeys.isNow(turn.key(), file)) {
                    return new LockAttempt.Taken(hold(file, turn, opened, owner));
                }
                String other = opened == null || locked ? null : ownerIn(opened);
                turn.end(opened);
                if (other != null) {
                    return new LockAttempt.Held(other);
                }
            } catch (IOException | RuntimeException e) {
                turn.end(opened);
                throw failure(file, e);
            }
        }
    }

    /**
     * Who has the lock. The system is asked by a shared lock that is given back at once; meanwhile
     * no thread of this JVM gets a turn, rather than be refused for it.
     */
    static Optional<String> owner(Path file) throws IOException {
        while (true) {
            String key;
            try {
                key = identify(file, false);
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
            Attempt attempt = FileTurns.tryTakeToAsk(key);
            Turn turn = attempt.turn();
            if (turn == null) {
                return Optional.of(attempt.owner());
            }
            RandomAccessFile opened = null;
            try {
                opened = open(file, turn, "r");
                if (opened != null) {
                    boolean free = opened.getChannel().tryLock(0, Long.MAX_VALUE, true) != null;
                    return free ? Optional.empty() : Optional.of(ownerIn(opened));
                }
            } catch (RuntimeException e) {
                throw failure(file, e);
            } finally {
                turn.end(opened);
            }
        }
    }

    /** Opens a file that exists and locks it until it is closed; null if another has it locked. */
    static @Nullable DiskFile openLocked(Path file) throws IOException {
        while (true) {
            Turn turn = FileTurns.tryTake(identify(file, false)).turn();
            if (turn == null) {
                return null;
            }
            RandomAccessFile opened = null;
            try {
                opened = open(file, turn, "rw");
                boolean locked =
                        opened != null && opened.getChannel().tryLock(BEHIND, 1, false) != null;
                if (opened != null && locked && FileKeys.isNow(turn.key(), file)) {
                    turn.own("", opened);
                    return SystemFile.locked(opened, turn);
                }
                turn.end(opened);
                if (opened != null && !locked) {
                    return null;
                }
            } catch (IOException | RuntimeException e) {
                turn.end(opened);
                throw failure(file, e);
            }
        }
    }

    /**
     * The key of the file, which is made if need be. Whoever makes it closes a descriptor of it, so
     * nobody else in this JVM may get to know it before.
     */
    private static String identify(Path file, boolean create) throws IOException {
        Turn naming = FileTurns.takeSoon(FileKeys.ofName(file));
        try {
            if (create) {
                FileModes.createFile(file);
            }
            return FileKeys.of(file);
        } finally {
            naming.end(null);
        }
    }

    /**
     * Opens the file whose turn it is; null if the name stands for another one by now. Nobody else
     * in this JVM looks at the name meanwhile, so a descriptor of that other one can be closed.
     */
    private static @Nullable RandomAccessFile open(Path file, Turn turn, String mode)
            throws IOException {
        Turn naming = FileTurns.takeSoon(FileKeys.ofName(file));
        RandomAccessFile opened = null;
        try {
            if (FileKeys.isNow(turn.key(), file)) {
                opened = new RandomAccessFile(file.toFile(), mode);
                if (FileKeys.isNow(turn.key(), file)) {
                    RandomAccessFile right = opened;
                    opened = null;
                    return right;
                }
            }
            return null;
        } catch (FileNotFoundException e) {
            if (FileKeys.isNow(turn.key(), file)) {
                throw e; // it is there, and may not be opened
            }
            return null;
        } finally {
            naming.end(opened);
        }
    }

    private static DiskLock hold(Path file, Turn turn, RandomAccessFile opened, String owner)
            throws IOException {
        String line = owner.length() > MAX_OWNER ? owner.substring(0, MAX_OWNER) : owner;
        turn.own(line, opened);
        if (!ownerIn(opened).equals(line)) {
            opened.setLength(0);
            opened.seek(0);
            opened.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return new Held(file.toAbsolutePath(), turn, opened, new AtomicBoolean());
    }

    /** A lock that is held until it is closed. */
    private record Held(Path file, Turn turn, RandomAccessFile opened, AtomicBoolean closed)
            implements DiskLock {

        @Override
        public boolean isInPlace() throws IOException {
            return !closed.get() && FileKeys.isNow(turn.key(), file);
        }

        @Override
        public void close() {
            if (!closed.getAndSet(true)) {
                turn.end(opened);
            }
        }
    }

    private static String ownerIn(RandomAccessFile opened) throws IOException {
        byte[] text = new byte[4 * MAX_OWNER];
        opened.seek(0);
        int length = Math.max(0, opened.read(text));
        return new String(text, 0, length, StandardCharsets.UTF_8).strip();
    }

    private static IOException failure(Path file, Exception e) {
        if (e instanceof OverlappingFileLockException) {
            return new IOException(
                    file + " is locked by another part of this process, not by this library", e);
        }
        return e instanceof IOException io ? io : new IOException(file + " can't be locked", e);
    }
}
