// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.DiskLock;
import io.leasehold.spi.LockAttempt;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which files a journal has and how they are named. A snapshot stands for everything before the
 * segment of its number; files in the making end in {@code .tmp}.
 *
 * @param path the directory
 * @param disk where it is
 */
record JournalDirectory(Path path, Disk disk) {

    private static final String LOCK = "lock";

    /** More than one: somebody may just have asked who has the lock, see {@link Disk#lockOwner}. */
    private static final int LOCK_ATTEMPTS = 3;

    private static final Pattern SEGMENTS = Pattern.compile("journal-(\\d{16})\\.log");
    private static final Pattern SNAPSHOTS = Pattern.compile("snapshot-(\\d{16})\\.dat");
    private static final String TEMPORARY = ".tmp";
    private static final Pattern UNFINISHED =
            Pattern.compile("(" + SEGMENTS + "|" + SNAPSHOTS + ")\\" + TEMPORARY);

    Path segment(long number) {
        return path.resolve(String.format(Locale.ROOT, "journal-%016d.log", number));
    }

    Path snapshot(long number) {
        return path.resolve(String.format(Locale.ROOT, "snapshot-%016d.dat", number));
    }

    static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + TEMPORARY);
    }

    /** Sorts files by number, a snapshot before the segment that goes on behind it. */
    static String order(Path file) {
        String name = String.valueOf(file.getFileName());
        String number = name.replaceAll("\\D", "");
        return number + (name.startsWith("snapshot") ? "a" : "b") + name;
    }

    /** The directory as it is now. */
    Contents contents() throws IOException {
        SortedMap<Long, Path> segments = new TreeMap<>();
        SortedMap<Long, Path> snapshots = new TreeMap<>();
        List<Path> files = disk.list(path);
        for (Path file : files) {
            String name = String.valueOf(file.getFileName());
            Matcher segment = SEGMENTS.matcher(name);
            Matcher snapshot = SNAPSHOTS.matcher(name);
            if (segment.matches()) {
                segments.put(Long.parseLong(segment.group(1)), file);
            } else if (snapshot.matches()) {
                snapshots.put(Long.parseLong(snapshot.group(1)), file);
            }
        }
        List<Path> unfinished = files.stream()
                .filter(file ->
                        UNFINISHED.matcher(String.valueOf(file.getFileName())).matches())
                .toList();
        return new Contents(segments, snapshots, unfinished);
    }

    /**
     * The files of a journal.
     *
     * @param segments of the log, by number
     * @param snapshots by number
     * @param unfinished files in the making, of no use any more if nobody makes them
     */
    record Contents(
            SortedMap<Long, Path> segments,
            SortedMap<Long, Path> snapshots,
            List<Path> unfinished) {

        /** All but those in the making. */
        List<Path> files() {
            List<Path> all = new ArrayList<>(snapshots.values());
            all.addAll(segments.values());
            return all;
        }

        /** The highest number of any file, 0 if there is none. */
        long highest() {
            return Math.max(snapshot(), segments.isEmpty() ? 0 : segments.lastKey());
        }

        boolean isNew() {
            return segments.isEmpty() && snapshots.isEmpty();
        }

        /** The number of the snapshot that counts, 0 if there is none. */
        long snapshot() {
            return snapshots.isEmpty() ? 0 : snapshots.lastKey();
        }
    }

    /**
     * Makes the directory if its parent is there. A parent that is missing is more likely a disk
     * that is not mounted, or a typing error, and an empty journal there would forget every lease.
     */
    void make() {
        try {
            if (disk.exists(path)) {
                return;
            }
            Path parent = path.toAbsolutePath().normalize().getParent();
            if (parent == null || !disk.exists(parent)) {
                throw new StoreUnavailableException("there is no directory " + parent
                        + " to make the journal " + path.getFileName()
                        + " in: make it, or mount what should be there");
            }
            disk.createDirectories(path);
            disk.forceDirectory(parent);
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "the directory " + path + " can't be made: " + reason(e), e);
        }
    }

    /**
     * Makes sure that there is a journal, for those who would not make one.
     *
     * @throws StoreUnavailableException if not, and says what there is instead
     */
    void ensureJournal() {
        try {
            if (!disk.exists(path)) {
                throw new StoreUnavailableException(
                        "there is no directory " + path + ": look at the spelling, or mount it");
            }
            if (contents().isNew()) {
                throw new StoreUnavailableException("there is no journal in " + path
                        + ": name the directory that has the files journal-….log");
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    StoreUnavailableException unreadable(IOException e) {
        return new StoreUnavailableException(
                "the journal " + path + " can't be read: " + reason(e), e);
    }

    /** Who has the journal open, if anybody has. */
    Optional<String> owner() throws IOException {
        return disk.lockOwner(lockFile()).map(JournalDirectory::orSomebody);
    }

    private static String orSomebody(String owner) {
        return owner.isEmpty() ? "another process" : owner;
    }

    Path lockFile() {
        return path.resolve(LOCK);
    }

    /** Takes the journal for this process alone. */
    LockedDirectory lock(String owner) {
        try {
            LockAttempt attempt = disk.tryLock(lockFile(), owner);
            for (int i = 1; i < LOCK_ATTEMPTS && attempt instanceof LockAttempt.Held; i++) {
                attempt = disk.tryLock(lockFile(), owner);
            }
            if (attempt instanceof LockAttempt.Taken taken) {
                return alone(taken.lock());
            }
            String other = attempt instanceof LockAttempt.Held held ? held.owner() : "";
            throw new StoreUnavailableException("the journal " + path + " is open in "
                    + orSomebody(other)
                    + ": one process at a time may have it");
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "the journal " + path + " can't be written: " + reason(e), e);
        }
    }

    /** Makes sure that nobody writes the journal under a lock file that was deleted since. */
    private LockedDirectory alone(DiskLock lock) throws IOException {
        boolean alone = false;
        try {
            Optional<Path> taken = lockedSegment();
            if (taken.isPresent()) {
                throw new StoreUnavailableException("the journal " + path
                        + " is open in another process, which has "
                        + taken.get().getFileName()
                        + " locked: its lock file was deleted or replaced while it was open. Stop"
                        + " that process, and never delete the lock file");
            }
            alone = true;
            return new LockedDirectory(this, lock);
        } finally {
            if (!alone) {
                lock.close();
            }
        }
    }

    /**
     * The segment that somebody writes, if anybody does: it is locked. A writer that goes on to the
     * next one locks that before it lets go of this one, so once no new one shows up, none was
     * missed.
     */
    private Optional<Path> lockedSegment() throws IOException {
        SortedMap<Long, Path> segments = contents().segments();
        while (!segments.isEmpty()) {
            long looked = segments.lastKey();
            for (Path segment : segments.values()) {
                Optional<DiskFile> file = disk.openLocked(segment);
                if (file.isEmpty()) {
                    return Optional.of(segment);
                }
                file.get().close();
            }
            segments = contents().segments().tailMap(looked + 1);
        }
        return Optional.empty();
    }

    static String reason(IOException e) {
        if (e instanceof FileSystemException file && file.getReason() == null) {
            return file.getFile() + ": " + kind(file);
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    private static String kind(FileSystemException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file";
        } else if (e instanceof NotDirectoryException) {
            return "it is no directory";
        }
        return e instanceof AccessDeniedException
                ? "access is denied"
                : e.getClass().getSimpleName();
    }
}
