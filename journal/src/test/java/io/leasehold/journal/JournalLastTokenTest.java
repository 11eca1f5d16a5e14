// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.journal.BatchScanner.Found;
import io.leasehold.model.LeaseId;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.Grant;
import io.leasehold.table.End;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.Outcome;
import io.leasehold.table.TableEntry;
import io.leasehold.table.TableOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/**
 * The last token that was drawn stands in several places, so that tokens go on when nothing else is
 * left of them. Each place is looked at by itself: one would hide that another is missing.
 */
final class JournalLastTokenTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration TICK = Duration.ofMillis(1_100);
    private static final int OLD = 4; // so many segments that a snapshot is due
    private static final long TOKEN = 7;

    private final World world = World.closed(Images.disk(OLD, 1));
    private final JournalDirectory directory = new JournalDirectory(Stores.DIRECTORY, world.disk);
    private final Replay replay =
            new Replay(new LeaseTable(TableOptions.defaults(), 1, 0, LeaseTable.Listener.nobody()));

    /** Draws a token, ends its lease, and has the store forget both; returns the token. */
    private long drawAndForget() {
        world.options = Stores.SMALL.withTable(new TableOptions(1_000, 10, Duration.ZERO, 0));
        world.start();
        Grant grant = world.acquire("a", LONG);
        World.answer(world.store.release(grant));
        // one is remembered, whatever the bounds
        World.answer(world.store.withdraw(World.request(999, "nothing", LONG)));
        return grant.token().value();
    }

    @Test
    void tokensGoOnThoughNothingIsLeftOfThem() throws IOException {
        long token = drawAndForget();
        world.pass(TICK);
        assertThat(directory.contents().snapshots()).hasSize(1);
        world.crashAndReopen();
        assertThat(world.list()).isEmpty();
        assertThat(world.acquire("a", LONG).token().value()).isEqualTo(token + 1);
    }

    @Test
    void aSnapshotSaysItBesideTheTableAndWithEveryBatch() throws IOException {
        long token = drawAndForget();
        world.pass(TICK);
        Said said = read(directory.contents().snapshots());
        assertThat(said.moments).isNotEmpty().allMatch(moment -> moment.lastToken() == token);
        assertThat(said.standings).singleElement().matches(it -> it.lastToken() == token);
        assertThat(said.changes)
                .as("which say nothing of it")
                .noneMatch(entry -> entry instanceof TableEntry.Ended ended
                        && ended.outcome().token() > 0)
                .noneMatch(TableEntry.Leased.class::isInstance);
    }

    @Test
    void theBatchesOfTheLogSayIt() throws IOException {
        long token = drawAndForget();
        Said said = read(directory.contents().segments());
        assertThat(said.moments).last().matches(moment -> moment.lastToken() == token);
        world.killAndReopen();
        said = read(directory.contents().segments());
        assertThat(said.moments).as("of a start").last().matches(it -> it.lastToken() == token);
    }

    @Test
    void itIsReadFromTheHeadOfABatchThatSaysNothingElse() {
        ByteBuffer empty = ByteBuffer.allocate(0);
        Moment moment = new Moment(5, 1, TOKEN);
        replay.apply(new BatchHead(1, 0, moment, BatchHead.Body.of(empty, 0)), empty);
        assertThat(replay.standing().lastToken()).isEqualTo(TOKEN);
    }

    @Test
    void itIsReadFromWhatStandsBesideTheTable() {
        replay.standing(new Standing(TOKEN, 0, 0));
        replay.standing(new Standing(TOKEN - 1, 0, 0));
        assertThat(replay.standing().lastToken()).isEqualTo(TOKEN);
    }

    @Test
    void itIsReadFromALeaseThatEnded() {
        Outcome released = new Outcome(End.RELEASED, TOKEN, 0);
        replay.change(new TableEntry.Ended(new LeaseId(1, 1), Optional.empty(), released, 1));
        assertThat(replay.standing().lastToken()).isEqualTo(TOKEN);
    }

    // ---- reading files

    /** What the batches of some files say, one after the other. */
    private static final class Said implements Entries {

        final List<Moment> moments = new ArrayList<>();
        final List<Standing> standings = new ArrayList<>();
        final List<TableEntry> changes = new ArrayList<>();

        @Override
        public void change(TableEntry entry) {
            changes.add(entry);
        }

        @Override
        public void started(long now) {}

        @Override
        public void standing(Standing standing) {
            standings.add(standing);
        }
    }

    private Said read(SortedMap<Long, Path> files) throws IOException {
        Said said = new Said();
        EntryReader reader = new EntryReader();
        for (var entry : files.entrySet()) {
            try (DiskFile file = world.disk.openToRead(entry.getValue())) {
                BatchScanner scanner = new BatchScanner(file, entry.getKey(), file.size());
                Found found = scanner.at(FileHead.LENGTH);
                while (found instanceof Found.Whole whole) {
                    said.moments.add(whole.head().moment());
                    for (int i = 0; i < whole.head().body().entries(); i++) {
                        reader.read(whole.body(), said);
                    }
                    found = scanner.at(whole.end());
                }
            }
        }
        return said;
    }
}
