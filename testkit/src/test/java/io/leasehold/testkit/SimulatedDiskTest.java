// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.spi.DiskFile;
import io.leasehold.spi.DiskLock;
import io.leasehold.spi.LockAttempt;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class SimulatedDiskTest {

    private static final Path DIRECTORY = Path.of("/data");
    private static final Path FILE = DIRECTORY.resolve("a");
    private static final Path OTHER = DIRECTORY.resolve("b");

    private static SimulatedDisk disk(long seed) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create(seed);
        disk.createDirectories(DIRECTORY);
        return disk;
    }

    private static void write(SimulatedDisk disk, Path file, String text) throws IOException {
        try (DiskFile opened = disk.create(file)) {
            opened.write(0, bytes(text));
            opened.forceAll();
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(SimulatedDisk disk, Path file) {
        return new String(disk.bytes(file), StandardCharsets.US_ASCII);
    }

    private static void crash(SimulatedDisk disk) {
        disk.crash();
        disk.restart();
    }

    @Test
    void whatWasForcedSurvivesWithItsNameWhenTheDirectoryWasForcedToo() throws IOException {
        for (long seed = 0; seed < 50; seed++) {
            SimulatedDisk disk = disk(seed);
            write(disk, FILE, "kept");
            disk.forceDirectory(DIRECTORY);
            crash(disk);
            assertThat(text(disk, FILE)).isEqualTo("kept");
        }
    }

    @Test
    void withoutAForceOfTheDirectoryNamesComeAndGoAtWill() throws IOException {
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < 100; seed++) {
            SimulatedDisk disk = disk(seed);
            write(disk, FILE, "old");
            disk.forceDirectory(DIRECTORY);
            write(disk, OTHER, "new");
            disk.replace(OTHER, FILE);
            crash(disk);
            seen.add(text(disk, FILE) + (disk.exists(OTHER) ? " and another" : ""));
        }
        assertThat(seen).containsExactly("new", "old", "old and another");
    }

    @Test
    void withoutAForceOfTheFileItsSectorsAreKeptOrLost() throws IOException {
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < 200; seed++) {
            SimulatedDisk disk = disk(seed);
            write(disk, FILE, "o".repeat(1024));
            disk.forceDirectory(DIRECTORY);
            try (DiskFile opened = disk.open(FILE)) {
                opened.write(0, bytes("n".repeat(1024)));
            }
            assertThat(text(disk, FILE)).isEqualTo("n".repeat(1024));
            crash(disk);
            String text = text(disk, FILE);
            assertThat(text).hasSize(1024);
            assertThat(text.substring(0, 512).chars().distinct().count()).isEqualTo(1);
            assertThat(text.substring(512).chars().distinct().count()).isEqualTo(1);
            seen.add("" + text.charAt(0) + text.charAt(1023));
        }
        assertThat(seen).containsExactly("nn", "no", "on", "oo");
    }

    @Test
    void aKillLosesNothingButOpenFilesAndLocks() throws IOException, InterruptedException {
        SimulatedDisk disk = disk(1);
        DiskFile opened = disk.create(FILE);
        opened.write(0, bytes("unforced"));
        DiskLock lock = disk.lock(OTHER, "first");
        disk.kill();
        assertFails("the machine is down", () -> disk.exists(FILE));
        disk.restart();
        assertFails("before the crash", opened::size);
        assertThat(text(disk, FILE)).isEqualTo("unforced");
        lock.close();
        assertThat(disk.tryLock(OTHER, "second")).isInstanceOf(LockAttempt.Taken.class);
        lock.close();
        assertThat(disk.tryLock(OTHER, "third")).isEqualTo(new LockAttempt.Held("second"));
    }

    @Test
    void aForceThatFailsIsNotMadeGoodByOneThatSucceeds() throws IOException {
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < 50; seed++) {
            SimulatedDisk disk = disk(seed);
            write(disk, FILE, "old");
            disk.forceDirectory(DIRECTORY);
            try (DiskFile opened = disk.open(FILE)) {
                opened.write(0, bytes("new"));
                disk.failAt(1, DiskFault.INPUT_OUTPUT_ERROR);
                assertFails("I/O error", opened::forceData);
                opened.forceData();
            }
            assertThat(text(disk, FILE)).isEqualTo("new");
            crash(disk);
            seen.add(text(disk, FILE));
        }
        assertThat(seen).containsExactly("new", "old");
    }

    @Test
    void faultsHitTheCallTheyAreMeantFor() throws IOException {
        SimulatedDisk disk = disk(1);
        DiskFile opened = disk.create(FILE);
        disk.failAt(2, DiskFault.SHORT_WRITE);
        opened.write(0, bytes("1234"));
        assertFails("SHORT_WRITE", () -> opened.append(bytes("5678")));
        assertThat(text(disk, FILE)).isEqualTo("123456");
        disk.failFrom(1, DiskFault.NO_SPACE);
        assertThat(opened.size()).isEqualTo(6);
        assertThat(disk.faults()).isEqualTo(1);
        assertFails("No space left", () -> opened.write(0, bytes("x")));
        assertFails("No space left", () -> disk.create(OTHER));
        disk.heal();
        assertThat(opened.append(bytes("78"))).isEqualTo(6);
        opened.truncate(3);
        assertThat(text(disk, FILE)).isEqualTo("123");
        long before = disk.operations();
        disk.failAt(1, DiskFault.POWER_LOSS);
        assertFails("POWER_LOSS", () -> opened.write(0, bytes("x")));
        assertThat(disk.isDown()).isTrue();
        assertThat(disk.operations()).isEqualTo(before + 1);
    }

    @Test
    void aFullDiskTakesWhatFitsAndLetsWhatIsThereBeOverwritten() throws IOException {
        SimulatedDisk disk = disk(1);
        write(disk, OTHER, "1234");
        disk.limit(10);
        DiskFile opened = disk.create(FILE);
        opened.write(0, bytes("abc"));
        assertFails("No space left", () -> opened.append(bytes("defg")));
        assertThat(text(disk, FILE)).isEqualTo("abcdef");
        assertThat(disk.used()).isEqualTo(10);
        opened.write(0, bytes("ABCDEF"));
        opened.forceAll();
        assertFails("No space left", () -> opened.write(20, bytes("x")));
        assertThat(text(disk, FILE)).isEqualTo("ABCDEF");
        assertThat(disk.delete(OTHER)).isTrue();
        assertThat(opened.append(bytes("GHIJ"))).isEqualTo(6);
        assertFails("No space left", () -> opened.append(bytes("K")));
        disk.limit(11);
        assertThat(opened.append(bytes("K"))).isEqualTo(10);
    }

    @Test
    void theSameSeedLosesTheSame() throws IOException {
        byte[][] left = new byte[2][];
        for (int i = 0; i < 2; i++) {
            SimulatedDisk disk = disk(9);
            disk.put(FILE, new byte[20_000]);
            byte[] ones = new byte[20_000];
            Arrays.fill(ones, (byte) 1);
            disk.open(FILE).write(0, ByteBuffer.wrap(ones));
            crash(disk);
            left[i] = disk.bytes(FILE);
        }
        assertThat(left[0]).isEqualTo(left[1]);
    }

    @Test
    void namesAndModesAreChecked() throws IOException {
        SimulatedDisk disk = disk(1);
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> disk.open(FILE));
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> disk.create(Path.of("/elsewhere/a")));
        write(disk, OTHER, "b");
        write(disk, FILE, "a");
        assertThat(disk.list(DIRECTORY)).containsExactly(FILE, OTHER);
        assertFails("read only", () -> disk.openToRead(FILE).truncate(0));
        assertThat(disk.delete(FILE)).isTrue();
        assertThat(disk.delete(FILE)).isFalse();
        assertThat(disk.exists(DIRECTORY)).isTrue();
    }

    private static void assertFails(String message, ThrowingCallable call) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(call)
                .withMessageContaining(message);
    }
}
