// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Guard;
import io.leasehold.spi.Disk;
import io.leasehold.testkit.GuardContract;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.TestLength;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The guard contract on whole files: the long run in memory, a shorter one with real forces. */
final class GuardedFileContractTest extends GuardContract<FileContents> {

    private final Disk disk = simulated();

    static Disk simulated() {
        Disk disk = SimulatedDisk.create(1);
        try {
            disk.createDirectories(Path.of("/data"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return disk;
    }

    @Override
    protected Guard<FileContents> open() {
        return GuardedFile.open(Path.of("/data/file"), RESOURCE, disk);
    }

    @Override
    protected Guard<FileContents> reopen(Guard<FileContents> guard) {
        return open();
    }

    @Override
    protected void put(FileContents file, String text) {
        file.replace(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    protected String read(Guard<FileContents> guard) {
        return new String(((GuardedFile) guard).read(), StandardCharsets.UTF_8);
    }

    @Nested
    final class OnTheRealDisk extends GuardContract<FileContents> {

        @TempDir
        @SuppressWarnings("NullAway.Init")
        private Path directory;

        @Override
        protected int writes() {
            return TestLength.of(500, 3_000);
        }

        @Override
        protected Guard<FileContents> open() {
            return GuardedFile.open(directory.resolve("file"), RESOURCE);
        }

        @Override
        protected Guard<FileContents> reopen(Guard<FileContents> guard) {
            return open();
        }

        @Override
        protected void put(FileContents file, String text) {
            GuardedFileContractTest.this.put(file, text);
        }

        @Override
        protected String read(Guard<FileContents> guard) {
            return GuardedFileContractTest.this.read(guard);
        }
    }
}
