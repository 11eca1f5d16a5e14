// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.VirtualTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody deletes the lock file of a journal that is open: still only one process grants. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class DeletedLockFileTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Path LOCK = Stores.DIRECTORY.resolve("lock");

    private final World world = World.create(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Test
    void aStoreWhoseLockFileWasDeletedStopsGrantingWithinASecond() throws IOException {
        Grant unused = world.acquire("a", LONG);
        boolean deleted = world.disk.delete(LOCK);
        assertThat(deleted).isFalse(); // the simulated one is no file
        world.pass(Duration.ofSeconds(1));
        assertThat(refusal("b"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContainingAll(
                        LOCK + " was deleted or replaced", "Make sure that none has");
        world.store.close();
        world.start();
        assertThat(world.list()).hasSize(1);
    }

    @Test
    void anIdleStoreLooksForItsLockFileBeforeItGrantsAgain() throws IOException {
        world.pass(Duration.ofHours(1));
        boolean unused = world.disk.delete(LOCK);
        world.pass(Duration.ofHours(1));
        assertThat(refusal("a")).hasMessageContaining("was deleted or replaced");
    }

    @Test
    void noSegmentIsBegunOnceTheLockFileIsGone() throws IOException {
        Grant last = world.acquire("a", LONG);
        boolean unused = world.disk.delete(LOCK);
        long begun = segments();
        Throwable stopped = null;
        for (int i = 0; i < 10 && stopped == null; i++) {
            var completed = world.store.complete(last, Journals.LARGE, LONG);
            if (completed.toCompletableFuture().isCompletedExceptionally()) {
                stopped = World.failure(completed);
            } else {
                last = World.granted(world.store.acquire(World.request(i, "a", LONG)));
            }
        }
        assertThat(stopped).hasMessageContaining("was deleted or replaced");
        assertThat(segments()).isEqualTo(begun);
    }

    @Test
    void aSecondStoreIsRefusedByTheSegmentThatTheFirstWrites() throws IOException {
        Grant unused = world.acquire("a", LONG);
        boolean deleted = world.disk.delete(LOCK);
        assertThat(deleted).isFalse();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Stores.open(VirtualTime.create(), world.disk, Stores.SMALL))
                .withMessageContainingAll(
                        "is open in another process",
                        "its lock file was deleted or replaced",
                        "Stop that process");
        Journals tools = new Journals(world.disk);
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(tools::repair);
    }

    @Test
    void anotherProcessIsRefusedAJournalWhoseLockFileWasDeleted() throws Exception {
        Path directory = temporary.resolve("journal");
        Path errors = temporary.resolve("errors");
        Process first = LoadProcess.start(directory, temporary.resolve("first"), errors, 1);
        try (BufferedReader out = first.inputReader(StandardCharsets.US_ASCII)) {
            assertThat(out.readLine()).isEqualTo(LoadProcess.UP);
            assertThat(out.readLine()).isEqualTo(LoadProcess.OPEN);
            Files.delete(directory.resolve("lock"));
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> JournalLeaseStore.open(
                            directory, Stores.SMALL, VirtualTime.create(), Disk.system()))
                    .withMessageContaining("is open in another process");
        } finally {
            int unused = first.destroyForcibly().waitFor();
        }
        JournalLeaseStore.open(directory).close();
    }

    private long segments() throws IOException {
        return world.disk.list(Stores.DIRECTORY).stream()
                .filter(file -> file.toString().endsWith(".log"))
                .count();
    }

    private LeaseholdException refusal(String name) {
        return World.failure(world.store.acquire(World.request(name, LONG)));
    }
}
