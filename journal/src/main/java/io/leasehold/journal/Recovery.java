// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.journal.BatchScanner.Found;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal: its snapshot, then the segments behind it, each batch checked before it is taken
 * in. Changes nothing on disk.
 *
 * <p>What a crash can leave is told from damage. A batch is forced before the next one is written,
 * so only the last one may be unfinished, and it was never answered: it is dropped. It shows by
 * sectors that were never written. Anything else that is not as it was written is damage, and what
 * it should say can't be guessed: the journal is refused, by file and offset.
 */
final class Recovery {

    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());
    private static final String REMEDY = "'leasehold journal check' shows more, 'leasehold journal"
            + " repair' keeps what is before it, and a backup is opened as restored";

    private final JournalDirectory directory;
    private final Replay replay;
    private final Progress progress;
    private final @Nullable DamagedFileException upTo;
    private final List<FileSummary> files = new ArrayList<>();

    Recovery(JournalDirectory directory, Replay replay, Progress progress) {
        this(directory, replay, progress, null);
    }

    /**
     * Reads up to damage that was found before. Whoever wants to go on with what is before it needs
     * this: when a batch turns out to make no sense, some of its entries may have been taken in.
     */
    Recovery(
            JournalDirectory directory,
            Replay replay,
            Progress progress,
            @Nullable DamagedFileException upTo) {
        this.directory = directory;
        this.replay = replay;
        this.progress = progress;
        this.upTo = upTo;
    }

    /**
     * Where the log ends.
     *
     * @param segment the number of the last segment that was begun, or of the one before the first
     * @param end where its batches end, 0 if none was begun
     * @param last where its last batch begins, its head counted as one
     */
    record Tail(long segment, long end, long last) {}

    /**
     * Reads everything.
     *
     * @throws DamagedFileException if something is not as it was written; what comes before it was
     *     taken in, and maybe some of the batch it lies in
     */
    Tail read() throws IOException {
        JournalDirectory.Contents contents = directory.contents();
        progress.begin(totalSize(contents));
        long from = 1;
        if (contents.snapshot() > 0) {
            from = contents.snapshot();
            readSnapshot(contents.snapshots().get(from), from);
        }
        List<Opened> segments = new ArrayList<>();
        try {
            DamagedFileException damage =
                    openSegments(contents.segments().tailMap(from), from, segments);
            Tail tail = new Tail(from - 1, 0, 0);
            for (int i = 0; i < segments.size(); i++) {
                Opened next = i + 1 < segments.size() ? segments.get(i + 1) : null;
                tail = readSegment(segments.get(i), tail, next);
            }
            if (damage != null) {
                throw damage;
            }
            progress.end(replay.table());
            return tail;
        } finally {
            segments.forEach(segment -> segment.file.close());
        }
    }

    /** Refuses at once what would be refused in the end: files that were cut. Reads heads only. */
    void ensureLengths() throws IOException {
        JournalDirectory.Contents contents = directory.contents();
        for (Path path : contents.segments().tailMap(contents.snapshot()).values()) {
            try (DiskFile file = directory.disk().openToRead(path)) {
                ByteBuffer bytes = ByteBuffer.allocate(FileHead.LENGTH);
                int unused = file.read(0, bytes);
                ensureLength(path, FileHead.read(FileHead.Kind.SEGMENT, bytes), file.size());
            } catch (IllegalArgumentException e) {
                // it is blank, or will be refused for that
            }
        }
    }

    /** What was found in each file that was read. */
    List<FileSummary> files() {
        return files;
    }

    private long totalSize(JournalDirectory.Contents contents) throws IOException {
        List<Path> all = new ArrayList<>(contents.segments().values());
        all.addAll(contents.snapshots().values());
        long total = 0;
        for (Path path : all) {
            try (DiskFile file = directory.disk().openToRead(path)) {
                total += file.size();
            }
        }
        return total;
    }

    // ---- the snapshot

    private void readSnapshot(@Nullable Path path, long number) throws IOException {
        if (path == null) {
            throw new AssertionError("snapshot " + number + " was listed");
        }
        try (DiskFile file = directory.disk().openToRead(path)) {
            long size = file.size();
            FileHead head = head(FileHead.Kind.SNAPSHOT, path, file, number);
            BatchScanner scanner = new BatchScanner(file, number, size);
            long offset = FileHead.LENGTH;
            long entries = 0;
            int batches = 0;
            while (offset < size) {
                if (!(scanner.at(offset) instanceof Found.Whole whole)) {
                    throw damaged(path, offset, "a batch is not as it was written");
                }
                take(path, offset, () -> replay.applyEntries(whole.head(), whole.body()));
                entries += whole.head().body().entries();
                batches++;
                progress.advance(whole.end() - offset, replay.table());
                offset = whole.end();
            }
            ensureLength(path, head, size);
            if (entries != head.before()) {
                throw damaged(path, offset, "it has " + entries + " entries, not " + head.before());
            }
            replay.continueAt(head.sequence());
            files.add(
                    new FileSummary(path, FileSummary.Kind.SNAPSHOT, size, size, batches, entries));
        }
    }

    // ---- the segments

    /** A segment, and its head if it was begun. */
    private record Opened(Path path, DiskFile file, long number, long size, FileHead head) {}

    /** Opens the segments up to the first that is not as it should be, and says what is wrong. */
    private @Nullable DamagedFileException openSegments(
            Map<Long, Path> paths, long from, List<Opened> segments) throws IOException {
        try {
            openAll(paths, from, segments);
            return null;
        } catch (DamagedFileException e) {
            return e;
        }
    }

    private void openAll(Map<Long, Path> paths, long from, List<Opened> segments)
            throws IOException {
        long expected = from;
        Path blank = null;
        for (Map.Entry<Long, Path> segment : paths.entrySet()) {
            Path path = segment.getValue();
            if (segment.getKey() != expected) {
                throw damaged(directory.segment(expected), 0, "the file is missing");
            }
            if (blank != null) {
                throw damaged(blank, 0, "nothing was written to it, but another segment follows");
            }
            Opened opened = open(path, expected);
            if (opened == null) {
                blank = path;
            } else {
                segments.add(opened);
                ensureLength(path, opened.head, opened.size);
            }
            expected++;
        }
        if (expected == from && from > 1) {
            throw damaged(directory.segment(expected), 0, "the file is missing");
        }
    }

    /** Opens a segment, unless it was never begun. */
    private @Nullable Opened open(Path path, long number) throws IOException {
        DiskFile file = directory.disk().openToRead(path);
        try {
            if (isUnbegun(path, file, number)) {
                files.add(FileSummary.unread(path, FileSummary.Kind.SPARE, file.size()));
                file.close();
                return null;
            }
            FileHead head = head(FileHead.Kind.SEGMENT, path, file, number);
            return new Opened(path, file, number, file.size(), head);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Whether nothing was written to a segment that could have been answered. */
    private static boolean isUnbegun(Path path, DiskFile file, long number) throws IOException {
        long size = file.size();
        if (size < FileHead.LENGTH) {
            throw damaged(path, size, "it was cut to " + size + " bytes");
        }
        ByteBuffer first = ByteBuffer.allocate(FileHead.LENGTH + BatchHead.LENGTH);
        int unused = file.read(0, first);
        if (FileHead.isAny(first)
                && BatchHead.isAny(first.slice(FileHead.LENGTH, BatchHead.LENGTH))) {
            return false;
        }
        BatchScanner scanner = new BatchScanner(file, number, size);
        boolean blankHead = scanner.isBlank(0, FileHead.LENGTH);
        if (size < JournalOptions.MIN_SEGMENT_BYTES) {
            if (blankHead) {
                throw damaged(path, size, "it was cut to " + size + " bytes");
            }
            return false;
        }
        if (blankHead) {
            if (scanner.hasBatchFrom(FileHead.LENGTH)) {
                throw damaged(path, 0, "it has batches, but no head");
            }
            return true;
        }
        return scanner.isBlank(FileHead.LENGTH, size); // the first write to it was cut off
    }

    private static FileHead head(FileHead.Kind kind, Path path, DiskFile file, long number)
            throws IOException {
        long size = file.size();
        if (size < FileHead.LENGTH) {
            throw damaged(path, size, "it was cut to " + size + " bytes");
        }
        ByteBuffer bytes = ByteBuffer.allocate(FileHead.LENGTH);
        int unused = file.read(0, bytes);
        FileHead head;
        try {
            head = FileHead.read(kind, bytes);
        } catch (FileHead.UnknownVersionException e) {
            throw new StoreUnavailableException(path + " can't be read: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            throw damaged(path, 0, String.valueOf(e.getMessage()));
        }
        if (head.number() != number) {
            throw damaged(path, 16, "it says to be number " + head.number());
        }
        return head;
    }

    /** A file that was cut has all its batches up to there: this is judged when they are read. */
    private static void ensureLength(Path path, FileHead head, long size) {
        if (head.length() != size) {
            throw damaged(
                    path,
                    Math.min(size, head.length()),
                    "it has " + size + " bytes, and had " + head.length());
        }
    }

    private Tail readSegment(Opened segment, Tail before, @Nullable Opened next)
            throws IOException {
        FileHead head = segment.head;
        if (before.end > 0 && head.before() != before.end) {
            throw damaged(
                    directory.segment(before.segment),
                    before.end,
                    "a batch is not as it was written: the next segment says that they end at "
                            + head.before());
        }
        if (head.sequence() != replay.sequence() + 1) {
            throw damaged(
                    segment.path,
                    32,
                    "it begins with batch " + head.sequence() + " and follows on batch "
                            + replay.sequence());
        }
        BatchScanner scanner = new BatchScanner(segment.file, segment.number, segment.size);
        long offset = FileHead.LENGTH;
        long last = 0;
        long entries = 0;
        int batches = 0;
        Found found = scanner.at(offset);
        while (found instanceof Found.Whole whole) {
            take(segment.path, offset, () -> replay.apply(whole.head(), whole.body()));
            entries += whole.head().body().entries();
            batches++;
            last = batches == 1 ? 0 : offset;
            progress.advance(whole.end() - offset, replay.table());
            offset = whole.end();
            found = scanner.at(offset);
        }
        if (next == null) {
            judge(segment, offset, found, scanner);
        }
        files.add(new FileSummary(
                segment.path, FileSummary.Kind.SEGMENT, segment.size, offset, batches, entries));
        progress.advance(segment.size - offset, replay.table());
        return new Tail(segment.number, offset, last);
    }

    /** Decides whether the log ends here, or what follows was lost. */
    private static void judge(Opened segment, long offset, Found found, BatchScanner scanner)
            throws IOException {
        if (offset + BatchHead.LENGTH <= segment.size
                && scanner.hasBatchFrom(offset + BatchHead.LENGTH)) {
            throw damaged(
                    segment.path,
                    offset,
                    found instanceof Found.Broken broken
                            ? broken.problem() + ", and more batches follow"
                            : "a batch is missing, and more follow");
        }
        if (!(found instanceof Found.Broken broken)) {
            return;
        }
        BatchHead head = broken.head();
        boolean unfinished = head == null
                ? scanner.isBlank(offset + BatchHead.LENGTH, segment.size)
                : hasHole(scanner, offset, head);
        if (!unfinished) {
            throw damaged(segment.path, offset, broken.problem());
        }
        LOG.log(
                System.Logger.Level.INFO,
                () -> segment.path + ": the last write, at offset " + offset
                        + ", was cut off and never answered; it is dropped");
    }

    /** Whether some sector of a batch, or its end mark, was never written. */
    private static boolean hasHole(BatchScanner scanner, long offset, BatchHead head)
            throws IOException {
        long end = offset + BatchHead.LENGTH + head.body().length();
        if (scanner.isBlank(end - Long.BYTES, end)) {
            return true;
        }
        long from = offset;
        while (from < end) {
            long to = Math.min(end, (from / BatchScanner.SECTOR + 1) * BatchScanner.SECTOR);
            if (scanner.isBlank(from, to)) {
                return true;
            }
            from = to;
        }
        return false;
    }

    private void take(Path path, long offset, Runnable taking) {
        if (upTo != null && path.equals(upTo.file()) && offset >= upTo.offset()) {
            throw upTo;
        }
        try {
            taking.run();
        } catch (IllegalArgumentException | LimitExceededException e) {
            throw damaged(path, offset, String.valueOf(e.getMessage()));
        }
    }

    private static DamagedFileException damaged(Path path, long offset, String problem) {
        return new DamagedFileException(path, offset, problem, REMEDY);
    }
}
