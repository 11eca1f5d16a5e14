// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
final class SystemDiskTest {

    private final Disk disk = Disk.system();

    @TempDir
    private Path directory;

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String read(DiskFile file, long position, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        int length = file.read(position, buffer);
        return new String(buffer.array(), 0, length, StandardCharsets.UTF_8);
    }

    @Test
    void filesAreReadAndWrittenAtPositions() throws IOException {
        Path path = directory.resolve("a");
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> disk.open(path));
        try (DiskFile file = disk.create(path)) {
            file.write(3, bytes("defg"));
            file.write(0, bytes("abc"));
            ByteBuffer direct = ByteBuffer.allocateDirect(2).put((byte) 'h').put((byte) 'i');
            assertThat(file.append(direct.flip())).isEqualTo(7);
            assertThat(read(file, 0, 100)).isEqualTo("abcdefghi");
            assertThat(read(file, 100, 10)).isEmpty();
            file.truncate(20);
            file.truncate(4);
            file.forceData();
            file.forceAll();
            assertThat(file.size()).isEqualTo(4);
        }
        try (DiskFile file = disk.openToRead(path)) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> file.write(0, bytes("x")));
            assertThat(read(file, 1, 2)).isEqualTo("bc");
        }
        disk.create(path).close();
        assertThat(Files.size(path)).isZero();
    }

    @Test
    void aRenameReplacesAndAnOpenFileStaysWhatItIs() throws IOException {
        Path old = directory.resolve("old");
        Path fresh = directory.resolve("fresh");
        disk.createDirectories(directory.resolve("x/y"));
        try (DiskFile file = disk.create(old);
                DiskFile other = disk.create(fresh)) {
            file.write(0, bytes("old"));
            other.write(0, bytes("fresh"));
            disk.replace(fresh, old);
            disk.forceDirectory(directory);
            assertThat(read(file, 0, 9)).isEqualTo("old");
            assertThat(Files.readString(old)).isEqualTo("fresh");
        }
        assertThat(disk.list(directory)).containsExactly(old, directory.resolve("x"));
        assertThat(disk.delete(old)).isTrue();
        assertThat(disk.delete(old)).isFalse();
        assertThat(disk.exists(old)).isFalse();
    }

    @Test
    void anInterruptedThreadWritesOnAndStaysInterrupted() throws IOException {
        try (DiskFile file = disk.create(directory.resolve("a"))) {
            Thread.currentThread().interrupt();
            file.write(0, bytes("abc"));
            file.forceAll();
            disk.forceDirectory(directory);
            assertThat(read(file, 0, 3)).isEqualTo("abc");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(file.size()).isEqualTo(3);
        }
    }

    @Test
    void aLockIsHeldByOneAndSaysByWhom() throws Exception {
        Path path = directory.resolve("lock");
        DiskLock lock = disk.lock(path, "first");
        Path detour = directory.resolve("../" + directory.getFileName() + "/lock");
        assertThat(disk.tryLock(detour, "second")).isEqualTo(new LockAttempt.Held("first"));
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> take(path));
        lock.close();
        lock.close();
        assertThat(waiting.get()).isEqualTo("third");
        assertThat(disk.tryLock(path, "fourth")).isInstanceOf(LockAttempt.Taken.class);
        assertThat(Files.readString(path)).isEqualTo("fourth\n");
    }

    private String take(Path path) {
        try (DiskLock lock = disk.lock(path, "third")) {
            return Files.readString(path).strip();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aWaitForALockCanBeInterrupted() throws Exception {
        Path path = directory.resolve("lock");
        DiskLock lock = disk.lock(path, "first");
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread waiting = new Thread(() -> {
            try {
                disk.lock(path, "second").close();
            } catch (InterruptedException e) {
                interrupted.countDown();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        waiting.start();
        waiting.interrupt();
        interrupted.await();
        waiting.join();
        lock.close();
        assertThat(disk.tryLock(path, "third")).isInstanceOf(LockAttempt.Taken.class);
    }

    @Test
    void askingWhoHasALockNeitherTakesNorFreesNorMakesIt() throws IOException {
        Path file = directory.resolve("lock");
        assertThat(disk.lockOwner(file)).isEmpty();
        assertThat(file).doesNotExist();
        if (disk.tryLock(file, "me") instanceof LockAttempt.Taken taken) {
            assertThat(disk.lockOwner(file)).contains("me");
            assertThat(disk.tryLock(file, "other")).isEqualTo(new LockAttempt.Held("me"));
            taken.lock().close();
        }
        assertThat(disk.lockOwner(file)).isEmpty();
        assertThat(disk.tryLock(file, "other")).isInstanceOf(LockAttempt.Taken.class);
    }

    @Test
    void aLockIsInPlaceUntilItsFileIsDeletedOrReplaced() throws Exception {
        Path file = directory.resolve("lock");
        try (DiskLock lock = disk.lock(file, "first")) {
            assertThat(lock.isInPlace()).isTrue();
            Files.delete(file);
            assertThat(lock.isInPlace()).isFalse();
            try (DiskLock other = disk.lock(file, "second")) {
                assertThat(other.isInPlace()).isTrue();
                assertThat(lock.isInPlace()).isFalse();
            }
        }
    }

    @Test
    void aFileIsLockedByOneAndReadByOthersUntilItIsClosed() throws IOException {
        Path path = directory.resolve("a");
        disk.create(path).close();
        DiskFile reader = disk.openToRead(path);
        DiskFile locked = disk.openLocked(path).orElseThrow();
        assertThat(disk.openLocked(path)).isEmpty();
        locked.write(0, bytes("abc"));
        assertThat(read(reader, 0, 9)).isEqualTo("abc");
        reader.close();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(reader, 0, 9));
        try (DiskFile again = disk.openToRead(path)) {
            assertThat(read(again, 1, 9)).isEqualTo("bc");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> again.write(0, bytes("x")));
            locked.close();
            assertThat(read(again, 2, 9)).isEqualTo("c");
        }
        disk.openLocked(path).orElseThrow().close();
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> disk.openLocked(directory.resolve("none")));
    }

    @Test
    void nothingIsLeftOfATurnThatHasEnded() throws Exception {
        Path file = directory.resolve("lock");
        int before = turns().size();
        try (DiskLock lock = disk.lock(file, "me")) {
            assertThat(disk.lockOwner(file)).contains("me");
            assertThat(turns()).hasSize(before + 1);
            assertThat(lock.isInPlace()).isTrue();
        }
        assertThat(disk.lockOwner(file)).isEmpty();
        assertThat(turns()).hasSize(before);
    }

    private static Map<?, ?> turns() {
        return (Map<?, ?>) Objects.requireNonNull(System.getProperties().get(FileTurns.PROPERTY));
    }

    @Test
    void newFilesAndLocksAreTheirOwnersAlone() throws Exception {
        Path file = directory.resolve("a");
        Path lock = directory.resolve("lock");
        disk.create(file).close();
        disk.lock(lock, "me").close();
        assertThat(mode(file)).isEqualTo("rw-------");
        assertThat(mode(lock)).isEqualTo("rw-------");
    }

    @Test
    void aFileThatReplacesAnotherTakesOverItsMode() throws IOException {
        Path file = directory.resolve("a");
        Path fresh = directory.resolve("fresh");
        for (String mode : List.of("rw-r-----", "r--r--r--", "rwxrwxrwx", "rw-------")) {
            disk.create(file).close();
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            disk.create(fresh).close();
            disk.replace(fresh, file);
            assertThat(mode(file)).isEqualTo(mode);
            assertThat(disk.delete(file)).isTrue();
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
