// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.StoreUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One process at a time has a journal; the others are told which. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class OneProcessTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Test
    void aJournalThatAnotherProcessHasIsRefusedAndFreeOnceThatIsKilled() throws Exception {
        Process other = start("first");
        try (BufferedReader out = other.inputReader(StandardCharsets.US_ASCII)) {
            awaitOpen(out);
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> JournalLeaseStore.open(directory()))
                    .withMessageContainingAll(
                            directory().toString(), "is open in process " + other.pid());
            assertThat(other.isAlive()).isTrue();
        } finally {
            int code = other.destroyForcibly().waitFor();
            assertThat(code).isEqualTo(137);
        }
        JournalLeaseStore.open(directory()).close();
    }

    @Test
    void anotherProcessIsRefusedWhileThisOneHasTheJournal() throws Exception {
        try (JournalLeaseStore store = JournalLeaseStore.open(directory())) {
            Process other = start("second");
            boolean ended = other.waitFor(30, TimeUnit.SECONDS);
            int unused = other.destroyForcibly().waitFor();
            assertThat(ended).as("it does not go on").isTrue();
            assertThat(other.exitValue()).isEqualTo(1);
            assertThat(Files.readString(temporary.resolve("errors")))
                    .contains(
                            "StoreUnavailableException",
                            "is open in process " + ProcessHandle.current().pid());
            assertThat(store.guarantees().durable()).isTrue();
        }
        Process third = start("third");
        try (BufferedReader out = third.inputReader(StandardCharsets.US_ASCII)) {
            awaitOpen(out);
        } finally {
            third.destroyForcibly().waitFor();
        }
    }

    @Test
    void aProcessCanNotOpenAJournalTwice() {
        try (JournalLeaseStore store = JournalLeaseStore.open(directory())) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> JournalLeaseStore.open(directory()))
                    .withMessageContaining(
                            "is open in process " + ProcessHandle.current().pid());
            assertThat(store.guarantees().durable()).isTrue();
        }
    }

    private Path directory() {
        return temporary.resolve("journal");
    }

    private Process start(String trail) throws IOException {
        return LoadProcess.start(
                directory(), temporary.resolve(trail), temporary.resolve("errors"), 1);
    }

    private static void awaitOpen(BufferedReader out) throws IOException {
        assertThat(out.readLine()).isEqualTo(LoadProcess.UP);
        assertThat(out.readLine()).isEqualTo(LoadProcess.OPEN);
    }
}
