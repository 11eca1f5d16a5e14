// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Disk;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may read a journal: its files hold lease ids. */
final class JournalFileModesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @Test
    void allFilesOfAJournalAreTheirOwnersAlone() throws IOException {
        VirtualTime time = VirtualTime.create();
        try (JournalLeaseStore store =
                JournalLeaseStore.open(directory, Stores.SMALL, time, Disk.system())) {
            var granted = store.acquire(World.request("a", Duration.ofMinutes(1)));
            assertThat(granted.toCompletableFuture().join()).isNotNull();
        }
        try (var files = Files.list(directory)) {
            assertThat(files.toList()).hasSizeGreaterThan(1).allSatisfy(file -> {
                String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                assertThat(mode).isEqualTo("rw-------");
            });
        }
    }
}
