// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Disk;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two copies of the library in one JVM, as in a servlet container. POSIX drops a process's locks on
 * a file when the process closes any descriptor of it, so the second copy must close none.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class SecondCopyTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Test
    void aSecondCopyThatIsRefusedTheJournalLeavesTheLockOfTheFirstAlone() throws Exception {
        Path directory = temporary.resolve("journal");
        try (JournalLeaseStore first = JournalLeaseStore.open(directory);
                URLClassLoader loader = copy()) {
            Class<?> second = loader.loadClass(JournalLeaseStore.class.getName());
            assertThat(second).isNotSameAs(first.getClass());
            String refusal = failure(second, directory);
            String me = "is open in process " + ProcessHandle.current().pid();
            assertThat(failureElsewhere(directory)).contains(me);
            assertThat(refusal).contains(me);
        }
    }

    @Test
    void aSecondCopyThatInspectsTheJournalLeavesTheLocksOfTheFirstAlone() throws Exception {
        Path directory = temporary.resolve("journal");
        try (JournalLeaseStore first = JournalLeaseStore.open(directory);
                URLClassLoader loader = copy()) {
            Class<?> tools = loader.loadClass(JournalTools.class.getName());
            List<String> reports = List.of(inspect(tools, directory), inspect(tools, directory));
            assertThat(failureElsewhere(directory)).contains("is open in process ");
            assertThat(reports)
                    .allSatisfy(report -> assertThat(report).startsWith("JournalReport"));
            Files.delete(directory.resolve("lock")); // the segment is still locked
            assertThat(failureElsewhere(directory)).contains("is open in another process");
            assertThat(first.guarantees().durable()).isTrue();
        }
    }

    @Test
    void theSecondCopyGetsTheJournalWhenTheFirstHasClosedIt() throws Exception {
        Path directory = temporary.resolve("journal");
        JournalLeaseStore.open(directory).close();
        try (URLClassLoader loader = copy()) {
            Class<?> copied = loader.loadClass(JournalLeaseStore.class.getName());
            Object second = copied.getMethod("open", Path.class).invoke(null, directory);
            assertThat(failure(JournalLeaseStore.class, directory)).contains("is open in process ");
            Object unused = copied.getMethod("close").invoke(second);
        }
        JournalLeaseStore.open(directory).close();
    }

    /** The library once more, which shares nothing but the JDK with the first copy. */
    private static URLClassLoader copy() {
        URL[] library = {location(Disk.class), location(JournalLeaseStore.class)};
        return new URLClassLoader(library, ClassLoader.getPlatformClassLoader());
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    private static String failure(Class<?> store, Path directory) throws Exception {
        try {
            Object opened = store.getMethod("open", Path.class).invoke(null, directory);
            throw new AssertionError(opened + " was opened");
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause());
        }
    }

    private static String inspect(Class<?> tools, Path directory) throws Exception {
        Consumer<String> silent = line -> {};
        try {
            return String.valueOf(tools.getMethod("inspect", Path.class, Consumer.class)
                    .invoke(null, directory, silent));
        } catch (InvocationTargetException e) {
            return String.valueOf(e.getCause());
        }
    }

    /** What another process is told that tries to open the journal. */
    private String failureElsewhere(Path directory) throws IOException, InterruptedException {
        Path errors = temporary.resolve("errors");
        Files.deleteIfExists(errors);
        Path trail = temporary.resolve("trail");
        Files.deleteIfExists(trail);
        Process other = LoadProcess.start(directory, trail, errors, 1);
        try {
            assertThat(other.waitFor(60, TimeUnit.SECONDS))
                    .as("it does not go on")
                    .isTrue();
            assertThat(other.exitValue()).isEqualTo(1);
            return Files.readString(errors, StandardCharsets.UTF_8);
        } finally {
            int unused = other.destroyForcibly().waitFor();
        }
    }
}
