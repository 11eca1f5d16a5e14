// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may read what a guard writes. */
final class GuardedFileModesTest {

    private static final Scope SCOPE = Scope.name("modes");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    private String mode(String name) throws IOException {
        return PosixFilePermissions.toString(
                Files.getPosixFilePermissions(directory.resolve(name)));
    }

    private void chmod(String name, String mode) throws IOException {
        Files.setPosixFilePermissions(
                directory.resolve(name), PosixFilePermissions.fromString(mode));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-r-----", "rw-rw-r--"})
    void aChangeKeepsTheModeOfTheFile(String mode) throws IOException {
        GuardedFile guard = GuardedFile.open(directory.resolve("file"), SCOPE);
        guard.seal(token(1));
        chmod("file", mode);
        guard.write(token(2), now -> now.replace(new byte[] {2}));
        assertThat(mode("file")).isEqualTo(mode);
    }

    @Test
    void marksThatAreCompactedKeepTheirMode() throws IOException {
        GuardedRegionFile guard =
                GuardedRegionFile.open(directory.resolve("file"), SCOPE, Disk.system(), 1024);
        chmod("file.marks", "rw-rw----");
        for (long n = 1; n < 30; n++) {
            guard.write(token(n), now -> now.write(0, new byte[100]));
        }
        assertThat(mode("file.marks")).isEqualTo("rw-rw----");
    }

    @Test
    void newFilesOfAGuardAreTheirOwnersAlone() throws IOException {
        GuardedFile.open(directory.resolve("whole"), SCOPE).seal(token(1));
        GuardedRegionFile.open(directory.resolve("regions"), SCOPE).seal(token(1));
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                assertThat(mode(name)).as(name).isEqualTo("rw-------");
            }
        }
    }
}
