// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.journal.JournalRepair.Dropped;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Grant;
import io.leasehold.table.TableEntry;
import io.leasehold.testkit.DiskFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class RepairTest {

    private final Journals journal = new Journals(1);
    private final JournalDirectory directory = journal.directory;

    /** What any repair owes: the leases live, grants refused for a while, then higher tokens. */
    private void assertRepaired(JournalRepair repair, long lastToken, String... held) {
        assertThat(repair.copy()).isPresent();
        assertThat(repair.lastToken()).isEqualTo(lastToken + Opening.RAISE);
        assertThat(journal.inspect().isSound()).isTrue();
        try (JournalLeaseStore store = journal.open()) {
            assertThat(Journals.held(store)).containsExactly(held);
            assertThatThrownBy(() -> journal.acquire(store, "new"))
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("nothing is granted for another");
            journal.time.advance(repair.frozen().minusMillis(1));
            assertThatThrownBy(() -> journal.acquire(store, "new"))
                    .hasMessageContaining("nothing is granted for another");
            journal.time.advance(Duration.ofMillis(1));
            assertThat(journal.grant(store, "new").token().value())
                    .isGreaterThan(lastToken + Opening.RAISE);
        }
        assertThat(journal.inspect().isSound()).isTrue();
    }

    @Test
    void aSoundJournalIsLeftAsItIs() throws IOException {
        journal.fill(2);
        Map<String, ByteBuffer> before = journal.files(Stores.DIRECTORY);
        journal.disk.failFrom(1, DiskFault.NO_SPACE);
        JournalRepair repair = journal.repair();
        journal.disk.heal();
        assertThat(repair.copy()).isEmpty();
        assertThat(repair.dropped()).isEmpty();
        assertThat(journal.files(Stores.DIRECTORY)).isEqualTo(before);
    }

    @Test
    void whatIsBeforeTheDamageIsKeptAndAllTokensAreAboveThoseBehindIt() throws IOException {
        journal.fill(3);
        long last = journal.inspect().state().lastToken();
        long third = journal.offsetOf(directory.segment(1), 1, 3);
        journal.flip(directory.segment(1), third + 70);
        Map<String, ByteBuffer> damaged = journal.files(Stores.DIRECTORY);
        JournalRepair repair = journal.repair();
        assertThat(journal.files(repair.copy().orElseThrow())).isEqualTo(damaged);
        assertThat(journal.files(Stores.DIRECTORY).keySet())
                .containsExactly("journal-0000000000000005.log", "snapshot-0000000000000005.dat");
        assertThat(repair.frozen()).isEqualTo(Journals.FREEZE);
        List<Dropped> dropped = repair.dropped();
        assertThat(dropped.stream().map(Dropped::file).toList())
                .containsExactly(directory.segment(1), directory.segment(2), directory.segment(3));
        assertThat(dropped.get(0).offset()).isEqualTo(third);
        assertThat(dropped.get(0).bytes()).isBetween(6L * 64 * 1024, 512L * 1024);
        assertThat(dropped.get(0).batches()).isGreaterThan(5);
        assertThat(dropped.get(1).offset()).isZero();
        assertRepaired(repair, last, "a", "b");
    }

    @Test
    void aDamagedSnapshotGivesUpItsRestAndTheLogBehindIt() throws IOException {
        long number = journal.fillWithSnapshot();
        long last = journal.inspect().state().lastToken();
        journal.flip(directory.snapshot(number), 300);
        JournalRepair repair = journal.repair();
        assertThat(repair.dropped()).hasSizeGreaterThanOrEqualTo(2);
        assertRepaired(repair, last);
    }

    @Test
    void aMissingSegmentIsGivenUpWithThoseBehindIt() throws IOException {
        journal.fill(4);
        long last = journal.inspect().state().lastToken();
        journal.delete(directory.segment(3));
        assertRepaired(journal.repair(), last, "a", "b", "c", "d", "in-2");
    }

    @Test
    void aTokenThatOnlyAHeadBehindTheDamageTellsOfCounts() throws IOException {
        journal.fill(3);
        long last = journal.inspect().state().lastToken();
        journal.delete(directory.segment(1));
        Path third = directory.segment(3);
        byte[] bytes = journal.disk.bytes(third);
        // the body of every batch is gone
        for (int at = FileHead.LENGTH; at < bytes.length; at++) {
            boolean inHead = ByteBuffer.wrap(bytes).getLong(at / 64 * 64) == 0x4C4842415443480AL;
            bytes[at] = inHead ? bytes[at] : 0;
        }
        journal.disk.put(third, bytes);
        assertRepaired(journal.repair(), last);
    }

    @Test
    void theCallerMayKnowOfAHigherToken() throws IOException {
        journal.fill(2);
        journal.delete(directory.segment(1));
        assertRepaired(journal.repair(OptionalLong.of(1_000_000)), 1_000_000);
    }

    @Test
    void withoutAnyHeadTheCallerMustSayTheLastToken() throws IOException {
        journal.fill(1);
        journal.disk.put(directory.segment(1), new byte[100]);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(journal::repair)
                .withMessageContaining("tells which tokens were drawn");
        assertThat(journal.disk.exists(Stores.DIRECTORY.resolve("before-repair-1")))
                .isFalse();
        assertRepaired(journal.repair(OptionalLong.of(7)), 7);
    }

    @Test
    void theFreezeLastsAsLongAsTheLongestLeaseBehindTheDamage() throws IOException {
        journal.fill(2);
        journal.flip(directory.segment(1), journal.offsetOf(directory.segment(1), 1, 1) + 70);
        JournalRepair repair = new Repair(directory, journal.time, line -> {})
                .run(Duration.ofSeconds(1), OptionalLong.empty(), plan -> true);
        assertThat(repair.found().leases().held()).isZero();
        assertThat(repair.frozen()).isEqualTo(Journals.TTL);
    }

    @Test
    void aJournalOfANewerProgramIsNotRepaired() throws IOException {
        journal.fill(2);
        byte[] newer = JournalToolsTest.withVersion(2, journal.disk.bytes(directory.segment(2)));
        journal.disk.put(directory.segment(2), newer);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(journal::repair)
                .withMessageContaining("program that wrote it");
    }

    @Test
    void whoeverObjectsChangesNothing() throws IOException {
        journal.fill(2);
        journal.flip(directory.segment(1), 340);
        Map<String, ByteBuffer> before = journal.files(Stores.DIRECTORY);
        List<JournalRepair> plans = new ArrayList<>();
        JournalRepair plan = new Repair(directory, journal.time, line -> {})
                .run(Journals.FREEZE, OptionalLong.empty(), told -> !plans.add(told));
        assertThat(plans).containsExactly(plan);
        assertThat(plan.copy()).isEmpty();
        assertThat(journal.files(Stores.DIRECTORY)).isEqualTo(before);
    }

    /** A batch whose checksum is right and whose second entry makes no sense. */
    @Test
    void nothingOfABatchIsKeptWhenPartOfItMakesNoSense() throws IOException {
        journal.fill(1);
        JournalReport before = journal.inspect();
        Path first = directory.segment(1);
        long end = before.files().get(0).used();
        byte[] bytes = journal.disk.bytes(first);
        Batch batch = new Batch();
        batch.add(new TableEntry.Erased(List.of(Scope.name("x"))));
        batch.add(lease("half"));
        batch.add(lease("other"));
        batch.at(before.state().time().toNanos(), before.state().lastToken());
        ByteBuffer sealed = batch.seal(before.files().get(0).batches() + 1L, 1, 1, end);
        spoilLastEntry(sealed, 1, end);
        sealed.get(0, bytes, (int) end, sealed.limit());
        journal.disk.put(first, bytes);
        assertThat(journal.inspect().damage().orElseThrow().problem()).contains("unknown type");
        assertRepaired(journal.repair(), before.state().lastToken(), "a", "b", "c", "d");
    }

    private TableEntry lease(String name) {
        Holding holding = new Holding(
                Claim.exclusive(Scope.name(name)), new Holder("api-2"), new FencingToken(4));
        Grant grant = new Grant(holding, new LeaseId(99, name.length()), Journals.TTL);
        return new TableEntry.Leased(
                grant,
                Optional.of(Journals.TTL),
                Duration.ZERO,
                Optional.empty(),
                new TableEntry.Course(0, Journals.TTL.toNanos(), 1, 0, TableEntry.Phase.RUNNING));
    }

    /** Gives the last of three entries an unknown type, and both checksums a fitting value. */
    private static void spoilLastEntry(ByteBuffer sealed, long file, long offset) {
        BatchHead head = BatchHead.read(sealed, file, offset).orElseThrow();
        int at = BatchHead.LENGTH;
        for (int i = 0; i < 2; i++) {
            at += Integer.BYTES + sealed.getInt(at);
        }
        sealed.put(at + Integer.BYTES, (byte) 77);
        ByteBuffer body = sealed.slice(BatchHead.LENGTH, head.body().length());
        new BatchHead(head.sequence(), head.durable(), head.moment(), BatchHead.Body.of(body, 3))
                .write(sealed, file, offset);
    }

    @Test
    void aFullDiskLeavesNoHalfCopyAndNothingChanged() throws IOException {
        journal.fill(2);
        journal.flip(directory.segment(1), 340);
        Map<String, ByteBuffer> before = journal.files(Stores.DIRECTORY);
        Path copy = Stores.DIRECTORY.resolve("before-repair-1");
        Journals other = journal;
        int refused = 0;
        for (long n = 1; refused == n - 1; n++) {
            other = new Journals(n);
            other.put(before);
            other.disk.failFrom(n, DiskFault.NO_SPACE);
            try {
                JournalRepair unused = other.repair();
            } catch (StoreUnavailableException e) {
                refused += String.valueOf(e.getMessage()).contains("Nothing was changed") ? 1 : 0;
            }
            other.disk.heal();
            if (refused == n) {
                assertThat(other.files(Stores.DIRECTORY)).isEqualTo(before);
                assertThat(other.disk.exists(copy) ? other.files(copy) : Map.of())
                        .isEmpty();
            }
        }
        // from there on the copy is complete
        assertThat(other.files(copy)).isEqualTo(before);
        assertThat(refused).isGreaterThan(4);
    }
}
