// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.guard.Guard;
import io.leasehold.model.Scope;
import io.leasehold.spi.Disk;
import io.leasehold.testkit.GuardContract;
import io.leasehold.testkit.RangeGuardContract;
import io.leasehold.testkit.TestLength;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** Both contracts on region files: the long runs in memory, shorter ones with real forces. */
final class GuardedRegionFileContractTest extends GuardContract<FileRegion> {

    private final Disk disk = GuardedFileContractTest.simulated();

    @Override
    protected Guard<FileRegion> open() {
        return GuardedRegionFile.open(Path.of("/data/file"), RESOURCE, disk);
    }

    @Override
    protected Guard<FileRegion> reopen(Guard<FileRegion> guard) {
        return open();
    }

    @Override
    protected void put(FileRegion file, String text) {
        file.write(0, Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), 40));
    }

    @Override
    protected String read(Guard<FileRegion> guard) {
        byte[] bytes = ((GuardedRegionFile) guard).read(0, 40);
        return new String(bytes, StandardCharsets.UTF_8).replace("\0", "");
    }

    private static void fillWith(FileRegion file, long start, long end, byte with) {
        byte[] bytes = new byte[(int) (end - start)];
        Arrays.fill(bytes, with);
        file.write(start, bytes);
    }

    private static byte[] readFrom(Guard<FileRegion> guard, int length) {
        return Arrays.copyOf(((GuardedRegionFile) guard).read(0, length), length);
    }

    @Nested
    final class OfRanges extends RangeGuardContract<FileRegion> {

        @Override
        protected Guard<FileRegion> open() {
            return GuardedRegionFile.open(Path.of("/data/ranges"), Scope.inode(INODE), disk);
        }

        @Override
        protected Guard<FileRegion> reopen(Guard<FileRegion> guard) {
            return open();
        }

        @Override
        protected void fill(FileRegion file, long start, long end, byte with) {
            fillWith(file, start, end, with);
        }

        @Override
        protected byte[] read(Guard<FileRegion> guard, int length) {
            return readFrom(guard, length);
        }
    }

    @Nested
    final class OfRangesOnTheRealDisk extends RangeGuardContract<FileRegion> {

        @TempDir
        @SuppressWarnings("NullAway.Init")
        private Path directory;

        @Override
        protected int writes() {
            return TestLength.of(500, 2_000);
        }

        @Override
        protected Guard<FileRegion> open() {
            return GuardedRegionFile.open(directory.resolve("file"), Scope.inode(INODE));
        }

        @Override
        protected Guard<FileRegion> reopen(Guard<FileRegion> guard) {
            return open();
        }

        @Override
        protected void fill(FileRegion file, long start, long end, byte with) {
            fillWith(file, start, end, with);
        }

        @Override
        protected byte[] read(Guard<FileRegion> guard, int length) {
            return readFrom(guard, length);
        }
    }
}
