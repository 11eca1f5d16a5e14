// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.journal.BatchScanner.Found;
import io.leasehold.model.DamagedFileException;
import io.leasehold.spi.DiskFile;
import io.leasehold.table.TableEntry;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What can still be made out in the files of a damaged journal, on both sides of the damage: every
 * head that is in order counts, whatever lies around it. None of it says which leases there are,
 * but all of it says which tokens were drawn and how long leases may run.
 */
final class Survey {

    private final JournalDirectory directory;
    private final DamagedFileException damage;
    private final List<JournalRepair.Dropped> dropped = new ArrayList<>();
    private final List<Path> foreign = new ArrayList<>();
    private Standing standing = Standing.NONE;
    private long start;
    private long segmentBytes;
    private long heads;

    private Survey(JournalDirectory directory, DamagedFileException damage) {
        this.directory = directory;
        this.damage = damage;
    }

    /** Goes through all files. */
    static Survey of(JournalDirectory directory, DamagedFileException damage) throws IOException {
        Survey survey = new Survey(directory, damage);
        JournalDirectory.Contents contents = directory.contents();
        for (Map.Entry<Long, Path> snapshot : contents.snapshots().entrySet()) {
            survey.read(FileHead.Kind.SNAPSHOT, snapshot.getKey(), snapshot.getValue());
        }
        for (Map.Entry<Long, Path> segment : contents.segments().entrySet()) {
            survey.read(FileHead.Kind.SEGMENT, segment.getKey(), segment.getValue());
        }
        return survey;
    }

    /** What lies behind the damage. */
    List<JournalRepair.Dropped> dropped() {
        return dropped;
    }

    /** Files that a program with another format wrote. */
    List<Path> foreign() {
        return foreign;
    }

    /** Whether anything at all tells of tokens. */
    boolean hasHeads() {
        return heads > 0;
    }

    /** The last token and the longest ttl that anything tells of. */
    Standing standing() {
        return standing;
    }

    /** How often the store was opened. */
    long start() {
        return start;
    }

    /** How long segments are; 0 if there is none. */
    long segmentBytes() {
        return segmentBytes;
    }

    private void read(FileHead.Kind kind, long number, Path path) throws IOException {
        try (DiskFile file = directory.disk().openToRead(path)) {
            long size = file.size();
            readHead(kind, path, file);
            if (kind == FileHead.Kind.SEGMENT && size <= JournalOptions.MAX_SEGMENT_BYTES) {
                segmentBytes = Math.max(segmentBytes, size);
            }
            readBatches(path, new BatchScanner(file, number, size), size, behind(kind, path));
        }
    }

    private void readHead(FileHead.Kind kind, Path path, DiskFile file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(FileHead.LENGTH);
        int unused = file.read(0, bytes);
        try {
            note(FileHead.read(kind, bytes).moment());
        } catch (FileHead.UnknownVersionException e) {
            foreign.add(path);
        } catch (IllegalArgumentException e) {
            // it tells nothing
        }
    }

    private void readBatches(Path path, BatchScanner scanner, long size, long behind)
            throws IOException {
        long used = 0;
        int batches = 0;
        for (long at = 0; at < size; at += BatchHead.LENGTH) {
            long end = Math.min(size, at + BatchHead.LENGTH);
            if (scanner.isBlank(at, end)) {
                continue;
            }
            used = end;
            BatchHead head = scanner.headAt(at).orElse(null);
            if (head != null) {
                note(head.moment());
                if (scanner.at(at) instanceof Found.Whole whole) {
                    batches += at >= behind ? 1 : 0;
                    noteEntries(whole);
                }
            }
        }
        if (used > behind || path.equals(damage.file())) {
            dropped.add(
                    new JournalRepair.Dropped(path, behind, Math.max(0, used - behind), batches));
        }
    }

    /** From which offset on the file lies behind the damage. */
    private long behind(FileHead.Kind kind, Path path) {
        if (path.equals(damage.file())) {
            return damage.offset();
        }
        if (kind == FileHead.Kind.SNAPSHOT) {
            return Long.MAX_VALUE;
        }
        boolean follows =
                JournalDirectory.order(path).compareTo(JournalDirectory.order(damage.file())) > 0;
        return follows ? 0 : Long.MAX_VALUE;
    }

    private void note(Moment moment) {
        heads++;
        standing = standing.withLastToken(moment.lastToken());
        start = Math.max(start, moment.start());
    }

    private void noteEntries(Found.Whole whole) {
        Entries entries = new Entries() {
            @Override
            public void change(TableEntry entry) {
                if (entry instanceof TableEntry.Leased leased) {
                    standing = standing.withTtl(leased.grant().ttl());
                }
            }

            @Override
            public void started(long now) {}

            @Override
            public void standing(Standing other) {
                standing = standing.and(new Standing(other.lastToken(), 0, other.longestTtl()));
            }
        };
        EntryReader reader = new EntryReader();
        try {
            for (int i = 0; i < whole.head().body().entries(); i++) {
                reader.read(whole.body(), entries);
            }
        } catch (IllegalArgumentException e) {
            // the rest tells nothing
        }
    }
}
