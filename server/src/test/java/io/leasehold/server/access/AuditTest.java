// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.server.LogForTests;
import io.leasehold.server.api.CallId;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AuditTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private List<String> written(AuditEntry... entries) throws IOException {
        Path file = directory.resolve("audit.log");
        Audit audit = Audit.toFile(file, VirtualTime.create(), Runnable::run);
        for (AuditEntry entry : entries) {
            audit.write(entry).toCompletableFuture().join();
        }
        return Files.readString(file).lines().toList();
    }

    @Test
    void aLineSaysWhoDidWhatToWhomWhyAndWithWhatOutcome() throws IOException {
        assertThat(written(new AuditEntry(
                        "ops",
                        "force-release",
                        "team-a name:orders",
                        42,
                        "stuck since noon",
                        "done",
                        new CallId("ticket-12", 7))))
                .singleElement()
                .asString()
                .matches("\\{\"at\":\"[0-9TZ:.-]+\",\"who\":\"ops\",\"what\":\"force-release\","
                        + "\"subject\":\"team-a name:orders\",\"token\":\"42\","
                        + "\"comment\":\"stuck since noon\",\"outcome\":\"done\","
                        + "\"requestId\":\"ticket-12.7\"}");
    }

    @Test
    void nobodyCanForgeALineOrAField() throws IOException {
        List<String> lines = written(
                entry("x\n{\"at\":\"1970-01-01T00:00:00Z\",\"who\":\"boss\"}"),
                entry("x\r\n\u2028\u2029\u0085\u001b[2K"),
                entry("x\",\"who\":\"boss"),
                entry("\\\",\"who\":\"boss"),
                entry("\ud800 \u202e gnp.exe"));
        assertThat(lines)
                .hasSize(5)
                .allMatch(
                        line -> line.matches(
                                "\\{(\"[a-zI]+\":\"([ !#-\\[\\]-~]|\\\\[\"\\\\]|\\\\u[0-9a-f]{4})*\",?)+}"));
        assertThat(lines).noneMatch(line -> line.contains(",\"who\":\"boss\""));
    }

    @Test
    void aLineForWhichThereIsNoRoomIsToldInTheLogAndItsCallerDoesNotWaitForTheFile() {
        Path file = directory.resolve("audit.log");
        Audit audit = Audit.toFile(file, VirtualTime.create(), task -> {
            throw new RejectedExecutionException();
        });
        try (LogForTests log = LogForTests.open()) {
            assertThat(audit.write(entry("urgent"))).isCompleted();
            assertThat(log.text()).contains("not in the audit log " + file, "urgent");
        }
        assertThat(file).isEmptyFile();
    }

    @Test
    void aCommentIsCutWhereItGetsLong() throws IOException {
        assertThat(written(entry("x".repeat(100_000))))
                .singleElement()
                .asString()
                .hasSizeLessThan(1_300);
    }

    @Test
    void theFileIsForItsOwnerAndIsFoundAgainAfterARotation() throws IOException {
        Path file = directory.resolve("audit.log");
        Audit audit = Audit.toFile(file, VirtualTime.create(), Runnable::run);
        audit.write(entry("before")).toCompletableFuture().join();
        Files.move(file, directory.resolve("audit.log.1"));
        audit.write(entry("after")).toCompletableFuture().join();
        assertThat(Files.readString(file)).contains("after").doesNotContain("before");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aFileThatCannotBeWrittenIsFoundOutAtTheStart() {
        assertThatThrownBy(() -> Audit.toFile(
                        directory.resolve("no/audit.log"), VirtualTime.create(), Runnable::run))
                .hasMessageContaining("cannot write the audit log");
    }

    private static AuditEntry entry(String comment) {
        return new AuditEntry(
                "ops", "force-release", "default name:a", 1, comment, "done", CallId.NONE);
    }
}
