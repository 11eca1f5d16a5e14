// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Time;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.TableCopy;
import io.leasehold.table.TableEntry;
import io.leasehold.table.TableOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal and changes nothing, also while a store goes on with it. Then files come and go
 * and the last batches are half there: what looks like damage counts only if it is there the next
 * time, too.
 */
final class Inspection {

    private static final int ATTEMPTS = 3;

    /** Whatever bounds its store has, they are no reason to refuse a journal. */
    private static final TableOptions UNBOUNDED =
            new TableOptions(Integer.MAX_VALUE, 0, Limits.MAX_KEEP_FOR, 1 << 20);

    private final JournalDirectory directory;
    private final Time time;
    private final Consumer<String> progress;

    Inspection(JournalDirectory directory, Time time, Consumer<String> progress) {
        this.directory = directory;
        this.time = time;
        this.progress = progress;
    }

    /**
     * A journal that was read.
     *
     * @param replay what it comes to, up to the damage
     * @param files those that were read
     * @param damage if there is any
     */
    record Reading(Replay replay, List<FileSummary> files, Optional<DamagedFileException> damage) {

        boolean hasSameDamageAs(@Nullable Reading other) {
            return other != null && place().equals(other.place());
        }

        private Optional<String> place() {
            return damage.map(found -> found.file() + " " + found.offset());
        }
    }

    /** Reads the journal and tells what was found. */
    JournalReport report() {
        directory.ensureJournal();
        Reading before = null;
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try {
                Reading reading = read();
                Optional<String> owner = directory.owner();
                if (owner.isEmpty()
                        || reading.damage.isEmpty()
                        || reading.hasSameDamageAs(before)) {
                    return report(reading, owner);
                }
                before = reading;
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw directory.unreadable(e);
                }
            }
        }
        throw new StoreUnavailableException("the journal " + directory.path()
                + " changes faster than it can be read: try again, or close its store");
    }

    /** Reads the journal as it is now. Of a batch that is damaged nothing is taken in. */
    Reading read() throws IOException {
        Reading reading = read(null);
        return reading.damage.isPresent() ? read(reading.damage.get()) : reading;
    }

    private Reading read(@Nullable DamagedFileException upTo) throws IOException {
        Replay replay = new Replay(new LeaseTable(UNBOUNDED, 1, 0, LeaseTable.Listener.nobody()));
        Recovery recovery = new Recovery(directory, replay, new Progress(time, progress), upTo);
        try {
            Recovery.Tail unused = recovery.read();
            return new Reading(replay, recovery.files(), Optional.empty());
        } catch (DamagedFileException e) {
            return new Reading(replay, recovery.files(), Optional.of(e));
        }
    }

    /** Makes a report of what was read, which is of no other use then. */
    JournalReport report(Reading reading, Optional<String> owner) throws IOException {
        Replay replay = reading.replay;
        Standing standing = replay.standing();
        return new JournalReport(
                directory.path(),
                allFiles(reading),
                Restarted.of(replay),
                new JournalReport.State(
                        standing.lastToken(),
                        Duration.ofNanos(replay.time()),
                        replay.start(),
                        Duration.ofNanos(standing.frozenUntil()),
                        standing.storeId()),
                owner,
                reading.damage);
    }

    private List<FileSummary> allFiles(Reading reading) throws IOException {
        JournalDirectory.Contents contents = directory.contents();
        List<FileSummary> all = new ArrayList<>(reading.files);
        reading.damage.ifPresent(found -> all.removeIf(read -> read.file().equals(found.file())));
        Set<Path> known = all.stream().map(FileSummary::file).collect(Collectors.toSet());
        for (Path path : contents.files()) {
            if (!known.contains(path)) {
                all.add(FileSummary.unread(path, FileSummary.Kind.UNREAD, length(path)));
            }
        }
        for (Path path : contents.unfinished()) {
            all.add(FileSummary.unread(path, FileSummary.Kind.UNFINISHED, length(path)));
        }
        all.sort(Comparator.comparing(summary -> JournalDirectory.order(summary.file())));
        return all;
    }

    private long length(Path path) throws IOException {
        try (DiskFile file = directory.disk().openToRead(path)) {
            return file.size();
        }
    }

    /**
     * The table as a store would have it that is opened on the journal. Nothing is due any more when
     * it is listed, so that this only reads.
     */
    private record Restarted(LeaseTable table, long now, int held, int records)
            implements JournalReport.Leases {

        static Restarted of(Replay replay) {
            LeaseTable table = replay.table();
            long now = replay.time();
            table.resume(replay.standing().lastToken(), now);
            table.advance(LeaseTable.ALL, now);
            int[] counts = new int[2];
            TableCopy copy = table.copy();
            boolean unused = copy.read(copy.size(), entry -> {
                if (entry instanceof TableEntry.Kept) {
                    counts[1]++;
                } else if (entry instanceof TableEntry.Leased leased
                        && leased.course().expiry() > now) {
                    counts[0]++;
                }
            });
            return new Restarted(table, now, counts[0], counts[1]);
        }

        @Override
        public LeasePage list(LeaseQuery query) {
            return table.list(query, now);
        }
    }
}
