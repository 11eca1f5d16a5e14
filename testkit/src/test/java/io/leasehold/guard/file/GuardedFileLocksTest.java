// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskLock;
import io.leasehold.testkit.SimulatedDisk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lock around a change holds, whoever else is in this process and whatever becomes of its name. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class GuardedFileLocksTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    /** POSIX drops a process's lock on a file when it closes any descriptor of that file. */
    @Test
    void aSecondCopyOfTheLibraryLeavesTheLockOfTheFirstAlone() throws Exception {
        Path file = directory.resolve("file");
        GuardedFile guard = GuardedFile.open(file, LockProcess.SCOPE);
        List<LockProcess> late = new ArrayList<>();
        try (URLClassLoader loader = copy()) {
            Thread second = new Thread(() -> openIn(loader, file));
            guard.write(token(7), now -> {
                second.start();
                awaitTurn(second);
                List<String> answers = askIn(loader, Siblings.lock(file));
                late.add(LockProcess.start("late", file));
                assertThat(late.get(0).line()).isEqualTo("held");
                String me = "process " + ProcessHandle.current().pid();
                assertThat(answers)
                        .containsExactly("Held[owner=" + me + "]", "Optional[" + me + "]");
                now.replace(new byte[] {7});
            });
            assertThat(late.get(0).line()).isEqualTo("stale");
            assertThat(guard.read()).containsExactly(7);
            second.join();
        } finally {
            for (LockProcess process : late) {
                process.close();
            }
        }
    }

    private static URLClassLoader copy() {
        URL library = Disk.class.getProtectionDomain().getCodeSource().getLocation();
        return new URLClassLoader(new URL[] {library}, ClassLoader.getPlatformClassLoader());
    }

    private static void openIn(ClassLoader loader, Path file) {
        try {
            Class<?> scope = loader.loadClass(Scope.class.getName());
            Object resource = scope.getMethod("name", String.class).invoke(null, "locked");
            Object unused = loader.loadClass(GuardedFile.class.getName())
                    .getMethod("open", Path.class, scope)
                    .invoke(null, file, resource);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Until the thread waits for its turn, or is done because it was refused. */
    private static void awaitTurn(Thread second) {
        while (second.getState() != Thread.State.WAITING
                && second.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    /** What the other copy says of the lock when it tries to take it, and when it only asks. */
    private static List<String> askIn(ClassLoader loader, Path lock) {
        try {
            Class<?> type = loader.loadClass(Disk.class.getName());
            Object disk = type.getMethod("system").invoke(null);
            Method tryLock = type.getMethod("tryLock", Path.class, String.class);
            Method owner = type.getMethod("lockOwner", Path.class);
            return List.of(
                    answer(() -> tryLock.invoke(disk, lock, "second")),
                    answer(() -> owner.invoke(disk, lock)));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private interface Call {
        @Nullable
        Object make() throws ReflectiveOperationException;
    }

    private static String answer(Call call) throws ReflectiveOperationException {
        try {
            return String.valueOf(call.make());
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause());
        }
    }

    @Test
    void whoeverWaitsForALockFileThatIsReplacedTakesTheNewOne() throws Exception {
        Path file = directory.resolve("file");
        Path lock = Siblings.lock(file);
        Disk disk = Disk.system();
        try (LockProcess holder = LockProcess.start("hold", file)) {
            assertThat(holder.line()).isEqualTo("locked");
            CompletableFuture<DiskLock> waiting = CompletableFuture.supplyAsync(() -> take(lock));
            while (!disk.lockOwner(lock).equals(Optional.of(""))) {
                Thread.onSpinWait(); // until it is the other thread's turn in this process
            }
            Files.delete(lock);
            Files.createFile(lock);
            holder.end();
            try (DiskLock mine = waiting.get();
                    LockProcess other = LockProcess.start("late", file)) {
                assertThat(other.line()).isEqualTo("held");
                assertThat(mine.isInPlace()).isTrue();
            }
        }
    }

    private static DiskLock take(Path lock) {
        try {
            return Disk.system().lock(lock, "me");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"whole", "regions"})
    void aChangeDuringWhichTheLockFileIsDeletedIsNotWritten(String kind) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create(1);
        disk.createDirectories(Path.of("/data"));
        Path file = Path.of("/data/file");
        Path lock = Siblings.lock(file);
        if (kind.equals("whole")) {
            GuardedFile guard = GuardedFile.open(file, LockProcess.SCOPE, disk);
            refused(() -> guard.write(token(7), now -> {
                delete(disk, lock);
                now.replace(new byte[] {7});
            }));
            assertThat(guard.mark()).isEmpty();
            guard.write(token(5), now -> now.replace(new byte[] {5}));
            assertThat(guard.read()).containsExactly(5);
        } else {
            GuardedRegionFile guard = GuardedRegionFile.open(file, LockProcess.SCOPE, disk);
            refused(() -> guard.write(token(7), now -> {
                delete(disk, lock);
                now.write(0, new byte[] {7});
            }));
            assertThat(guard.mark()).isEmpty();
            guard.write(token(5), now -> now.write(0, new byte[] {5}));
            assertThat(guard.read(0, 9)).containsExactly(5);
        }
    }

    private static void delete(SimulatedDisk disk, Path lock) {
        try {
            boolean unused = disk.delete(lock);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void refused(Runnable change) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(change::run)
                .withMessageContainingAll("file.lock was deleted or replaced", "Repeat it");
    }
}
