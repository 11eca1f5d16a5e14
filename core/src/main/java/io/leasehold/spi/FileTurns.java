// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Turns on files, one at a time for each file in the whole JVM. Whoever locks a file takes its turn
 * before opening it and ends the turn after closing it.
 *
 * <p><b>Why.</b> A lock of the system belongs to the process, and POSIX drops it as soon as the
 * process closes <em>any</em> descriptor of the file. So while one part of a process has a file
 * locked, no other part may close a descriptor of it, and it can't know that from the system.
 *
 * <p><b>Why in the system properties.</b> A JVM may have several copies of this library, each in a
 * class loader of its own (a servlet container, plug-ins). They share no static field and no class
 * of ours, but they do share the JDK's. The turns are a map under one fixed key of {@link
 * System#getProperties}, made of JDK types only, so a copy never meets another copy's classes and is
 * not kept from being unloaded. The number in the key is the version of this shape; every version of
 * the library must use it as it is. A copy looks the map up once, when it is loaded: properties that
 * are exchanged later don't matter to it.
 *
 * <p><b>Bounds.</b> The map has one entry for each turn that somebody has now. The entry also keeps
 * descriptors that readers were done with while the file was locked: the next reader gets one of
 * them, so there are never more than there were readers at once, and the end of the turn closes
 * them.
 */
final class FileTurns {

    static final String PROPERTY = "io.leasehold.fileTurns.1";

    /** The owner of a turn that is taken only to ask who has the lock: it ends soon. */
    private static final String ASKING = "\n";

    /**
     * By the key of the file: how the owner introduced itself, in an {@code
     * AtomicReference<String>}; a {@code CompletableFuture<Void>} that completes when the turn has
     * ended; idle descriptors, in a {@code Queue<RandomAccessFile>}; and the locked file, in an
     * {@code AtomicReference<RandomAccessFile>}. That one is there so that it stays open: a lock that
     * somebody forgot to close is held to the end of the process, and no new file gets its key.
     */
    private static final ConcurrentMap<String, Object[]> TURNS = shared();

    private FileTurns() {}

    @SuppressWarnings("unchecked") // whoever uses the key keeps to the shape
    private static ConcurrentMap<String, Object[]> shared() {
        ConcurrentMap<String, Object[]> mine = new ConcurrentHashMap<>();
        Object found = System.getProperties().putIfAbsent(PROPERTY, mine);
        if (found == null) {
            return mine;
        }
        if (found instanceof ConcurrentMap<?, ?> theirs) {
            return (ConcurrentMap<String, Object[]>) theirs;
        }
        throw new IllegalStateException("the system property " + PROPERTY
                + " is reserved for the locks on files: do not set it");
    }

    /** Somebody's turn on a file. */
    static final class Turn {

        private final String key;
        private final Object[] entry;

        private Turn(String key, String owner) {
            this.key = key;
            this.entry = new Object[] {
                new AtomicReference<>(owner),
                new CompletableFuture<Void>(),
                new ConcurrentLinkedQueue<RandomAccessFile>(),
                new AtomicReference<@Nullable RandomAccessFile>()
            };
        }

        /** The file's key. */
        String key() {
            return key;
        }

        /** Says who has the file locked from now on. */
        void own(String owner, RandomAccessFile locked) {
            FileTurns.owner(entry).set(owner);
            FileTurns.locked(entry).set(locked);
        }

        /** Closes the file, which frees the system's lock; only then is it another's turn. */
        void end(@Nullable RandomAccessFile opened) {
            TURNS.computeIfPresent(key, (unused, mine) -> {
                if (mine != entry) {
                    return mine; // it had ended before
                }
                close(opened);
                idle(mine).forEach(FileTurns::close);
                return null;
            });
            ended(entry).complete(null);
        }
    }

    /** Waits until it is the caller's turn. */
    static Turn take(String key) throws InterruptedException {
        Turn turn = new Turn(key, "");
        Object[] other = TURNS.putIfAbsent(key, turn.entry);
        while (other != null) {
            try {
                ended(other).get();
            } catch (ExecutionException e) {
                throw new AssertionError(e); // nobody completes it so
            }
            other = TURNS.putIfAbsent(key, turn.entry);
        }
        return turn;
    }

    /** Takes a turn that others have for moments only. An interrupt does not end the wait. */
    static Turn takeSoon(String key) {
        Turn turn = new Turn(key, "");
        Object[] other = TURNS.putIfAbsent(key, turn.entry);
        while (other != null) {
            ended(other).join();
            other = TURNS.putIfAbsent(key, turn.entry);
        }
        return turn;
    }

    /** A turn, or who has it. */
    record Attempt(@Nullable Turn turn, String owner) {}

    /** Takes the turn if nobody has it. */
    static Attempt tryTake(String key) {
        return tryTake(new Turn(key, ""));
    }

    /** {@link #tryTake} for a moment: whoever tries meanwhile waits, rather than be refused. */
    static Attempt tryTakeToAsk(String key) {
        return tryTake(new Turn(key, ASKING));
    }

    private static Attempt tryTake(Turn turn) {
        while (true) {
            Object[] other = TURNS.putIfAbsent(turn.key, turn.entry);
            if (other == null) {
                return new Attempt(turn, "");
            }
            String owner = Objects.requireNonNull(owner(other).get());
            if (!owner.equals(ASKING)) {
                return new Attempt(null, owner);
            }
            ended(other).join();
        }
    }

    /** An open descriptor of a file that somebody has locked, if one is idle. */
    static @Nullable RandomAccessFile reuse(String key) {
        AtomicReference<@Nullable RandomAccessFile> found = new AtomicReference<>();
        TURNS.computeIfPresent(key, (unused, entry) -> {
            found.set(idle(entry).poll());
            return entry;
        });
        return found.get();
    }

    /** Closes a descriptor; while somebody has the file locked it is kept instead. */
    static void giveBack(String key, RandomAccessFile opened) {
        TURNS.compute(key, (unused, entry) -> {
            if (entry == null) {
                close(opened);
            } else {
                idle(entry).add(opened);
            }
            return entry;
        });
    }

    private static void close(@Nullable RandomAccessFile opened) {
        try {
            if (opened != null) {
                opened.close();
            }
        } catch (IOException e) {
            // the descriptor is gone all the same, and the lock with it
        }
    }

    @SuppressWarnings("unchecked")
    private static AtomicReference<String> owner(Object[] entry) {
        return (AtomicReference<String>) entry[0];
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<Void> ended(Object[] entry) {
        return (CompletableFuture<Void>) entry[1];
    }

    @SuppressWarnings("unchecked")
    private static Queue<RandomAccessFile> idle(Object[] entry) {
        return (Queue<RandomAccessFile>) entry[2];
    }

    @SuppressWarnings("unchecked")
    private static AtomicReference<@Nullable RandomAccessFile> locked(Object[] entry) {
        return (AtomicReference<@Nullable RandomAccessFile>) entry[3];
    }
}
