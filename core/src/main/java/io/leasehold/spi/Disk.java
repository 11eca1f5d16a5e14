// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The only way to files. Whatever must survive a crash goes through one, so that a test or a
 * simulation can own what a crash leaves behind. Thread-safe.
 *
 * <p>Two things are durable separately: what a file holds, by {@link DiskFile#forceData} or {@link
 * DiskFile#forceAll}, and under which name it is found, by {@link #forceDirectory}. Until then a
 * power loss may take either back, in any order. The end of a process takes back neither.
 *
 * <p>An interrupt ends a wait for a lock and nothing else: reads and writes of an interrupted
 * thread run to their end, and the thread stays interrupted.
 */
public interface Disk {

    /** The machine's own file system. */
    static Disk system() {
        return SystemDisk.SHARED;
    }

    /**
     * Opens an existing file to read and write.
     *
     * @throws NoSuchFileException if there is none
     */
    DiskFile open(Path file) throws IOException;

    /**
     * Opens an existing file to read only.
     *
     * @throws NoSuchFileException if there is none
     */
    DiskFile openToRead(Path file) throws IOException;

    /**
     * Opens an existing file to read and write, and locks it until it is closed. Others can read it.
     * Where locks belong to the process, this one keeps every other descriptor of the file open
     * until then: the system would take the close of any for the end of the lock.
     *
     * @return empty if somebody else has it locked, in this process or in another one
     * @throws NoSuchFileException if there is none
     */
    Optional<DiskFile> openLocked(Path file) throws IOException;

    /**
     * Opens a new and empty file to read and write; what was there by this name is emptied. A new
     * file is for its owner alone, where the file system knows owners.
     */
    DiskFile create(Path file) throws IOException;

    /** Whether there is a file or a directory by this name. */
    boolean exists(Path file) throws IOException;

    /** What is in a directory, in the order of the names. */
    List<Path> list(Path directory) throws IOException;

    /**
     * Makes the directory and those above it, where they are missing: for their owner alone, where
     * the file system knows owners.
     */
    void createDirectories(Path directory) throws IOException;

    /**
     * Gives a file another name, in one step: whoever opens that name gets the old file or the new
     * one, whole. Both names are in the same file system. The file takes over the owner, group and
     * mode of the one that it replaces, as far as the process may give them.
     */
    void replace(Path from, Path to) throws IOException;

    /**
     * Deletes a file.
     *
     * @return false if there was none
     */
    boolean delete(Path file) throws IOException;

    /** Makes durable which names the directory has and which files they stand for. */
    void forceDirectory(Path directory) throws IOException;

    /**
     * Takes the lock that the file stands for, alone among all threads of all processes, and waits
     * until it can. The end of a process frees its locks. Not reentrant. The file is made if it is
     * missing, for its owner alone, and never deleted: two processes could each lock a file of that
     * name. If somebody else deletes it, whoever waits goes on with the new file of that name, and
     * whoever has the lock can {@linkplain DiskLock#isInPlace see it}.
     *
     * <p>Several copies of this library in one process (in class loaders of their own) exclude each
     * other like processes.
     *
     * @param owner for people, one line: who has the lock, for whoever finds it taken
     * @throws InterruptedException if the thread was interrupted before it had the lock
     */
    DiskLock lock(Path file, String owner) throws IOException, InterruptedException;

    /** Takes the lock as {@link #lock} does, or says at once who has it. */
    LockAttempt tryLock(Path file, String owner) throws IOException;

    /**
     * Says who has the lock, without taking it and without changing anything on disk.
     *
     * @return how the owner introduced itself, maybe with nothing; empty if nobody has the lock
     */
    Optional<String> lockOwner(Path file) throws IOException;
}
