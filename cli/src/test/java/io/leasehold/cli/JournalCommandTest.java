// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RealTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class JournalCommandTest {

    private static final JournalOptions SMALL = JournalOptions.defaults().withSegmentBytes(1 << 19);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path parent;

    private int journal(String command, Path directory, String... options) {
        return run(
                Main.commandLine(),
                Stream.concat(
                                Stream.of("journal", command, directory.toString()),
                                Stream.of(options))
                        .toArray(String[]::new));
    }

    private int run(CommandLine commandLine, String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        int code = commandLine
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
        assertThat(err.toString()).doesNotContain("\tat ");
        return code;
    }

    private Path directory() {
        return parent.resolve("journal");
    }

    private Path segment(int number) {
        return directory().resolve("journal-000000000000000" + number + ".log");
    }

    private static Grant grant(LeaseStore store, String name) {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(name.hashCode(), 7),
                Claim.exclusive(Scope.name(name)),
                new Holder("api \"1\""),
                Duration.ofSeconds(20));
        Acquisition answer = store.acquire(request).toCompletableFuture().join();
        return ((Acquisition.Granted) answer).grant();
    }

    /** Three leases in the first segment, one in the second, and a record. */
    private void fill() {
        try (JournalLeaseStore store = JournalLeaseStore.open(directory(), SMALL)) {
            List.of("orders", "billing", "reports").forEach(name -> grant(store, name));
            var unused = store.complete(
                            grant(store, "job"), LeaseRecord.of("done"), Duration.ofHours(1))
                    .toCompletableFuture()
                    .join();
        }
        try (JournalLeaseStore store = JournalLeaseStore.open(directory(), SMALL)) {
            Grant unused = grant(store, "late");
            // laid out in the background, or left out if the store is closed before
            RealTime.until("there is a spare segment", () -> Files.exists(segment(3)));
        }
    }

    private void flip(Path file, int offset) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[offset] ^= 1;
        Files.write(file, bytes);
    }

    /** Names, lengths, contents and times of all files. */
    private Map<String, Object> everything() throws IOException {
        Map<String, Object> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory())) {
            for (Path file : files.toList()) {
                FileTime changed = Files.getLastModifiedTime(file);
                ByteBuffer bytes = ByteBuffer.wrap(
                        Files.isDirectory(file) ? new byte[0] : Files.readAllBytes(file));
                all.put(file.toString(), List.of(changed, bytes));
            }
        }
        return all;
    }

    @Test
    void helpIsThereOnEveryLevel() {
        assertThat(run(Main.commandLine(), "--help")).isZero();
        assertThat(out.toString()).contains("journal");
        assertThat(run(Main.commandLine(), "journal", "--help")).isZero();
        assertThat(out.toString()).contains("inspect", "check", "repair", "restored");
        for (String command : List.of("inspect", "check", "repair", "restored")) {
            assertThat(run(Main.commandLine(), "journal", command, "--help")).isZero();
            assertThat(out.toString()).contains("DIR", "Exit codes:");
        }
    }

    @Test
    void wrongUsageHasExitCodeTwo() {
        assertThat(run(Main.commandLine(), "journal")).isEqualTo(2);
        assertThat(run(Main.commandLine(), "journal", "check")).isEqualTo(2);
        assertThat(journal("check", directory(), "--output", "yaml")).isEqualTo(2);
        assertThat(journal("inspect", directory(), "--leases", "-1")).isEqualTo(2);
        assertThat(journal("repair", directory(), "--freeze", "soon")).isEqualTo(2);
        assertThat(err.toString()).contains("'soon' is no time; write it as 500ms, 30s");
        assertThat(journal("repair", directory(), "--freeze", "401d")).isEqualTo(2);
        assertThat(journal("repair", directory(), "--last-token", "-3")).isEqualTo(2);
    }

    @Test
    void aSoundJournalIsShownAndNothingIsChanged() throws IOException {
        fill();
        Map<String, Object> before = everything();
        assertThat(journal("inspect", directory())).isZero();
        assertThat(out.toString())
                .contains("state       sound", "4 leases, 1 record", "last token  5", "2 times")
                .containsSubsequence(
                        "FILE",
                        "journal-0000000000000001.log  segment  524288",
                        "journal-0000000000000003.log  spare    524288",
                        "SCOPE         TOKEN  HOLDER     REMAINING  STATE",
                        "name:orders       1  api \"1\"  ",
                        "name:job",
                        "completed",
                        "name:late");
        assertThat(err.toString()).isEmpty();
        assertThat(journal("check", directory())).isZero();
        assertThat(out.toString())
                .startsWith(directory() + " is sound: 4 leases, 1 record, last token 5, 1.6 MB");
        assertThat(journal("repair", directory())).isZero();
        assertThat(out.toString()).startsWith("nothing to repair");
        Files.delete(directory().resolve("lock")); // says who repaired
        before.keySet().removeIf(name -> name.endsWith("lock"));
        before.remove(directory().toString());
        Map<String, Object> after = everything();
        after.remove(directory().toString());
        assertThat(after).isEqualTo(before);
    }

    @Test
    void onlyAsManyLeasesAreListedAsWereAskedFor() {
        fill();
        assertThat(journal("inspect", directory(), "--leases", "2")).isZero();
        assertThat(out.toString())
                .contains("name:orders", "name:billing", "only the first 2 are shown")
                .doesNotContain("name:reports");
    }

    @Test
    void machinesAreToldInJson() throws IOException {
        fill();
        assertThat(journal("inspect", directory(), "--output", "json")).isZero();
        assertThat(out.toString())
                .startsWith("{\"directory\":\"" + directory()
                        + "\",\"sound\":true,\"damage\":null,"
                        + "\"openIn\":null,\"held\":4,\"records\":1,\"storeId\":\"")
                .containsPattern("\"storeId\":\"[0-9a-f]{32}\",\"lastToken\":\"5\",\"starts\":2,")
                .containsPattern(
                        "\\{\"scopes\":\\[\"name:orders\"],\"mode\":\"exclusive\",\"token\":\"1\","
                                + "\"holder\":\"api \\\\\"1\\\\\"\",\"remainingMillis\":\\d+,\"state\":\"held\"}")
                .contains("\"kind\":\"spare\"")
                .hasLineCount(1);
        flip(segment(1), 40);
        assertThat(journal("check", directory(), "--output", "JSON")).isEqualTo(3);
        assertThat(out.toString())
                .contains(
                        "\"sound\":false,\"damage\":{\"file\":\"" + segment(1) + "\",\"offset\":0,")
                .contains("\"leases\":[]");
    }

    @Test
    void damageInASegmentIsShownAndRepaired() throws IOException {
        fill();
        byte[] whole = Files.readAllBytes(segment(1));
        int third = offsetOfLast(whole);
        flip(segment(1), third + 20);
        assertThat(journal("check", directory())).isEqualTo(3);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .contains(
                        segment(1) + " is damaged at offset " + third, "'leasehold journal repair")
                .hasLineCount(1);
        assertThat(journal("inspect", directory())).isEqualTo(3);
        assertThat(out.toString())
                .contains("DAMAGED", "name:orders", "unread")
                .doesNotContain("name:late");
        Map<String, Object> before = everything();
        assertThat(journal("repair", directory())).isEqualTo(3);
        assertThat(out.toString()).contains("GIVEN UP", "tokens      go on above 4294967301");
        assertThat(err.toString()).contains("nothing was changed").hasLineCount(1);
        before.keySet().removeIf(name -> name.endsWith("lock"));
        assertThat(everything()).containsAllEntriesOf(before);
        assertThat(journal("repair", directory(), "--yes", "--freeze", "1m")).isZero();
        assertThat(out.toString())
                .contains("nothing is granted for 1 min 0 s")
                .contains("repaired; the files as they were are in " + copy());
        assertThat(journal("check", directory())).isZero();
        try (JournalLeaseStore store = JournalLeaseStore.open(directory(), SMALL)) {
            assertThat(store.acquire(LeaseRequest.of(
                            new LeaseId(1, 1),
                            Claim.exclusive(Scope.name("new")),
                            new Holder("a"),
                            Duration.ofSeconds(1))))
                    .isCompletedExceptionally();
        }
        assertThat(journal("inspect", directory())).isZero();
        assertThat(out.toString())
                .contains("name:orders", "frozen      nothing is granted for another");
    }

    private Path copy() {
        return directory().resolve("before-repair-1");
    }

    /** Where the last batch of a segment begins. */
    private static int offsetOfLast(byte[] segment) {
        ByteBuffer bytes = ByteBuffer.wrap(segment);
        int last = 0;
        for (int at = 128; at < segment.length && bytes.getLong(at) != 0; ) {
            last = at;
            at += 64 + (bytes.getInt(at + 48) + 63) / 64 * 64;
        }
        return last;
    }

    @Test
    void aPersonAtATerminalIsAsked() throws IOException {
        fill();
        flip(segment(1), 200);
        assertThat(run(
                        new CommandLine(new JournalRepairCommand(q -> false)),
                        directory().toString()))
                .isEqualTo(3);
        assertThat(copy()).doesNotExist();
        assertThat(run(
                        new CommandLine(new JournalRepairCommand(q -> true)),
                        directory().toString()))
                .isZero();
        assertThat(copy()).exists();
    }

    @Test
    void aBackupIsSaidToBeOne() throws IOException {
        fill();
        assertThat(journal("restored", directory())).as("--freeze is missing").isEqualTo(2);
        assertThat(journal("restored", directory(), "--freeze", "5m")).isZero();
        assertThat(out.toString())
                .isEqualToIgnoringNewLines("tokens go on above 4294967301 instead of 5, and"
                        + " nothing is granted for 300 s after the store is opened");
        try (JournalLeaseStore store = JournalLeaseStore.open(directory(), SMALL)) {
            assertThatThrownBy(() -> grant(store, "new"))
                    .hasRootCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("was restored: nothing is granted for another");
        }
        flip(segment(1), 200);
        assertThat(journal("restored", directory(), "--freeze", "5m")).isEqualTo(3);
        Path missing = parent.resolve("missing");
        assertThat(journal("restored", missing, "--freeze", "5m")).isEqualTo(1);
        assertThat(missing).doesNotExist();
    }

    @Test
    void filesThatAreCutOrMissingAreDamage() throws IOException {
        fill();
        byte[] whole = Files.readAllBytes(segment(1));
        Files.write(segment(1), Arrays.copyOf(whole, 1000));
        assertThat(journal("check", directory())).isEqualTo(3);
        assertThat(err.toString()).contains("end of the file").hasLineCount(1);
        Files.delete(segment(1));
        assertThat(journal("check", directory())).isEqualTo(3);
        assertThat(err.toString()).contains("the file is missing").hasLineCount(1);
        assertThat(journal("repair", directory(), "--yes")).isZero();
        assertThat(journal("check", directory())).isZero();
    }

    @Test
    void aDamagedSnapshotIsRepairedOnceMore() throws IOException {
        fill();
        flip(segment(1), 200);
        assertThat(journal("repair", directory(), "--yes")).isZero();
        Path snapshot = directory().resolve("snapshot-0000000000000004.dat");
        flip(snapshot, 150);
        assertThat(journal("check", directory())).isEqualTo(3);
        assertThat(err.toString()).contains(snapshot + " is damaged at offset 128");
        assertThat(journal("repair", directory(), "--yes")).isZero();
        assertThat(out.toString()).contains("before-repair-2");
        assertThat(journal("check", directory())).isZero();
    }

    @Test
    void aJournalOfAnotherVersionIsNamedAndNotRepaired() throws IOException {
        fill();
        byte[] bytes = Files.readAllBytes(segment(1));
        ByteBuffer head = ByteBuffer.wrap(bytes, 0, 128).slice().putInt(8, 2);
        CRC32C crc = new CRC32C();
        crc.update(head.slice(0, 12));
        crc.update(head.slice(16, 112));
        head.putInt(12, (int) crc.getValue());
        Files.write(segment(1), bytes);
        assertThat(journal("check", directory())).isEqualTo(1);
        assertThat(err.toString()).contains("it has version 2 of the format");
        assertThat(journal("repair", directory(), "--yes")).isEqualTo(1);
        assertThat(err.toString()).contains("program that wrote it");
        assertThat(copy()).doesNotExist();
    }

    @Test
    void nothingButHeadsThatAreGoneNeedsTheLastTokenFromThePerson() throws IOException {
        fill();
        for (int i = 1; i <= 3; i++) {
            Files.write(segment(i), new byte[90]);
        }
        assertThat(journal("repair", directory(), "--yes")).isEqualTo(1);
        assertThat(err.toString()).contains("--last-token").hasLineCount(1);
        assertThat(journal("repair", directory(), "--yes", "--last-token", "41"))
                .isZero();
        assertThat(out.toString()).contains("go on above 4294967337");
    }

    @Test
    void aRunningStoreIsShownAndNotRepaired() {
        fill();
        try (JournalLeaseStore store = JournalLeaseStore.open(directory(), SMALL)) {
            Grant unused = grant(store, "live");
            assertThat(journal("inspect", directory())).isZero();
            assertThat(out.toString())
                    .contains("open in     process " + ProcessHandle.current().pid(), "name:live");
            assertThat(journal("check", directory())).isZero();
            assertThat(journal("repair", directory(), "--yes")).isEqualTo(1);
            assertThat(err.toString()).contains("is open in process").hasLineCount(1);
        }
    }

    @Test
    void whatCanNotBeReadOrWrittenHasExitCodeOneAndOneLine() throws IOException {
        for (String command : List.of("inspect", "check", "repair")) {
            assertThat(journal(command, parent.resolve("nowhere"))).isEqualTo(1);
            assertThat(err.toString()).contains("there is no directory").hasLineCount(1);
            assertThat(journal(command, parent)).isEqualTo(1);
            assertThat(err.toString()).contains("there is no journal in").hasLineCount(1);
            Path file = Files.writeString(parent.resolve("file"), "text");
            assertThat(journal(command, file)).isEqualTo(1);
            assertThat(err.toString()).contains("can't be read").hasLineCount(1);
            Files.delete(file);
        }
        fill();
        // no lock can be taken there, whoever asks
        Files.delete(directory().resolve("lock"));
        Files.createDirectory(directory().resolve("lock"));
        flip(segment(1), 200);
        assertThat(journal("repair", directory(), "--yes")).isEqualTo(1);
        assertThat(err.toString()).contains("can't be written").hasLineCount(1);
        Files.delete(segment(1));
        Files.createDirectory(segment(1));
        assertThat(journal("check", directory())).isEqualTo(1);
        assertThat(err.toString()).contains("can't be read").hasLineCount(1);
    }
}
