// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.journal.FileSummary.Kind;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.DiskFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalToolsTest {

    private final Journals journal = new Journals(1);
    private final JournalDirectory directory = journal.directory;

    private List<Kind> kinds() {
        return journal.inspect().files().stream().map(FileSummary::kind).toList();
    }

    private void assertDamage(Path file, long offset, String problem) {
        DamagedFileException damage = journal.inspect().damage().orElseThrow();
        assertThat(damage.file()).isEqualTo(file);
        assertThat(damage.offset()).isEqualTo(offset);
        assertThat(damage.problem()).contains(problem);
    }

    @Test
    void aSoundJournalIsToldOfAsAStartWouldFindIt() throws IOException {
        journal.fill(3);
        try (JournalLeaseStore store = journal.open()) {
            var unused = store.complete(
                    journal.grant(store, "job"), LeaseRecord.of("done"), Duration.ofHours(1));
        }
        JournalReport report = journal.inspect();
        assertThat(report.isSound()).isTrue();
        assertThat(report.openIn()).isEmpty();
        assertThat(Journals.held(report))
                .containsExactly("a", "b", "c", "d", "in-2", "in-3", "job");
        assertThat(report.leases().held()).isEqualTo(6);
        assertThat(report.leases().records()).isEqualTo(2);
        assertThat(report.state().starts()).isEqualTo(2);
        assertThat(report.state().lastToken()).isGreaterThan(20);
        assertThat(report.state().frozenFor()).isZero();
        assertThat(kinds())
                .containsExactly(
                        Kind.SEGMENT, Kind.SEGMENT, Kind.SEGMENT, Kind.SEGMENT, Kind.SPARE);
        assertThat(report.bytes()).isEqualTo(5L * JournalOptions.MIN_SEGMENT_BYTES);
    }

    @Test
    void aSnapshotAndTheLogBehindItAreOne() throws IOException {
        long snapshot = journal.fillWithSnapshot();
        assertThat(snapshot).isPositive();
        JournalReport report = journal.inspect();
        assertThat(Journals.held(report)).containsExactly("a", "b", "c", "d", "e", "f");
        assertThat(kinds()).startsWith(Kind.SNAPSHOT, Kind.SEGMENT).endsWith(Kind.SPARE);
    }

    @Test
    void leasesThatWereRenewedInMemoryAloneAreHeld() {
        try (JournalLeaseStore store = journal.open()) {
            Grant grant = journal.grant(store, "a");
            for (int i = 0; i < 30; i++) {
                journal.time.advance(Duration.ofSeconds(5));
                var unused = store.renew(RenewalRequest.of(grant, Journals.TTL));
            }
            JournalReport report = journal.inspect();
            assertThat(Journals.held(report)).containsExactly("a");
            assertThat(report.state().time()).isGreaterThan(Duration.ofSeconds(140));
        }
    }

    @Test
    void aRunningStoreIsLookedIntoWithoutItsLockAndWithoutAWrite() throws IOException {
        journal.fill(2);
        try (JournalLeaseStore store = journal.open()) {
            Grant unused = journal.grant(store, "e");
            // anything but a read would fail
            journal.disk.failFrom(1, DiskFault.NO_SPACE);
            JournalReport report = journal.inspect();
            journal.disk.heal();
            assertThat(report.openIn()).hasValueSatisfying(o -> assertThat(o).contains("process"));
            assertThat(report.isSound()).isTrue();
            assertThat(Journals.held(report)).contains("a", "e");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(journal::repair)
                    .withMessageContaining("is open in process");
        }
    }

    @Test
    void filesThatGoWhileTheyAreReadAreNoDamage() throws IOException {
        journal.fill(2);
        long operations = journal.disk.operations();
        JournalReport before = journal.inspect();
        long needed = journal.disk.operations() - operations;
        for (long i = 3; i <= needed; i++) {
            journal.disk.failAt(i, DiskFault.INPUT_OUTPUT_ERROR);
            assertThat(Journals.held(journal.inspect())).isEqualTo(Journals.held(before));
        }
    }

    @Test
    void whatCanNotBeReadIsSaidInOneSentence() {
        journal.disk.put(Path.of("/data/empty/notes.txt"), new byte[3]);
        assertUnavailable(Path.of("/data/nowhere"), "there is no directory /data/nowhere");
        assertUnavailable(Path.of("/data/empty"), "there is no journal in /data/empty");
        try (JournalLeaseStore store = journal.open()) {
            Grant unused = journal.grant(store, "a");
        }
        journal.disk.failFrom(1, DiskFault.INPUT_OUTPUT_ERROR);
        assertUnavailable(Stores.DIRECTORY, "can't be read");
    }

    private void assertUnavailable(Path path, String message) {
        JournalDirectory there = new JournalDirectory(path, journal.disk);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> JournalTools.inspect(there, journal.time, line -> {}))
                .withMessageContaining(message);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> new Repair(there, journal.time, line -> {})
                        .run(Duration.ZERO, OptionalLong.empty(), plan -> true))
                .withMessageContaining(message);
    }

    @Test
    void damageInTheMiddleOfASegmentLeavesWhatIsBeforeIt() throws IOException {
        journal.fill(3);
        Path first = directory.segment(1);
        long third = journal.offsetOf(first, 1, 3);
        journal.flip(first, third + 70);
        assertDamage(first, third, "a batch is not as it was written");
        assertThat(Journals.held(journal.inspect())).containsExactly("a", "b");
        assertThat(kinds()).containsExactly(Kind.UNREAD, Kind.UNREAD, Kind.UNREAD, Kind.SPARE);
    }

    @Test
    void aMissingSegmentLeavesThoseBeforeIt() throws IOException {
        journal.fill(4);
        journal.delete(directory.segment(3));
        assertDamage(directory.segment(3), 0, "the file is missing");
        assertThat(Journals.held(journal.inspect())).containsExactly("a", "b", "c", "d", "in-2");
    }

    @Test
    void aBrokenHeadLeavesTheSegmentsBeforeIt() throws IOException {
        journal.fill(4);
        journal.flip(directory.segment(3), 40);
        assertDamage(directory.segment(3), 0, "the checksum of its head does not match");
        assertThat(Journals.held(journal.inspect())).containsExactly("a", "b", "c", "d", "in-2");
    }

    @Test
    void aSegmentThatWasCutLeavesItsBatchesUpToThere() throws IOException {
        journal.fill(3);
        Path first = directory.segment(1);
        long third = journal.offsetOf(first, 1, 3);
        journal.cut(first, third + 100);
        assertDamage(first, third, "a batch goes on behind the end of the file");
        assertThat(Journals.held(journal.inspect())).containsExactly("a", "b");
        journal.cut(first, third);
        assertDamage(first, third, "it has " + third + " bytes, and had 524288");
        assertThat(Journals.held(journal.inspect())).containsExactly("a", "b");
        journal.cut(first, 100);
        assertDamage(first, 100, "it was cut to 100 bytes");
        assertThat(journal.inspect().leases().held()).isZero();
    }

    @Test
    void aSnapshotThatWasCutOrDamagedIsDamage() throws IOException {
        long number = journal.fillWithSnapshot();
        Path snapshot = directory.snapshot(number);
        byte[] whole = journal.disk.bytes(snapshot);
        journal.flip(snapshot, 300);
        assertDamage(snapshot, FileHead.LENGTH, "a batch is not as it was written");
        journal.disk.put(snapshot, whole);
        journal.cut(snapshot, FileHead.LENGTH);
        assertDamage(snapshot, FileHead.LENGTH, "it has 128 bytes, and had " + whole.length);
        assertThat(kinds()).startsWith(Kind.UNREAD, Kind.UNREAD);
    }

    @Test
    void anotherVersionOfTheFormatIsNamed() throws IOException {
        journal.fill(2);
        journal.disk.put(
                directory.segment(1), withVersion(2, journal.disk.bytes(directory.segment(1))));
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(journal::inspect)
                .withMessageContaining("it has version 2 of the format");
    }

    /** The same file with another version in its head and a checksum that fits. */
    static byte[] withVersion(int version, byte[] file) {
        ByteBuffer head = ByteBuffer.wrap(file, 0, FileHead.LENGTH).slice().putInt(8, version);
        CRC32C crc = new CRC32C();
        crc.update(head.slice(0, 12));
        crc.update(head.slice(16, FileHead.LENGTH - 16));
        head.putInt(12, (int) crc.getValue());
        return file;
    }

    @Test
    void listingsNeverShowLeaseIds() throws IOException {
        journal.fill(1);
        List<LeaseView> leases =
                journal.inspect().leases().list(LeaseQuery.all()).leases();
        assertThat(leases).isNotEmpty();
        assertThat(leases.toString()).doesNotContain("LeaseId");
    }

    @Test
    void theToolsReadARealDirectory(@TempDir Path parent) {
        Path path = parent.resolve("journal");
        try (JournalLeaseStore store = JournalLeaseStore.open(path, Stores.SMALL)) {
            Grant unused = journal.grant(store, "a");
            JournalReport report = JournalTools.inspect(path, line -> {});
            assertThat(report.openIn())
                    .contains("process " + ProcessHandle.current().pid());
            assertThat(Journals.held(report)).containsExactly("a");
            // looking on did not free the lock
            JournalDirectory real = new JournalDirectory(path, Disk.system());
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> real.lock("somebody else"));
        }
        assertThat(JournalTools.inspect(path, line -> {}).openIn()).isEmpty();
    }
}
