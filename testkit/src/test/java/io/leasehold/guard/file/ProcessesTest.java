// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.TestLength;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes on real files: killed under load, and several at once. */
final class ProcessesTest {

    private static final int KILLS = TestLength.of(4, 50);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"whole", "regions"})
    @Timeout(value = 300, unit = TimeUnit.SECONDS)
    void nothingAcceptedIsLostWhenWritersAreKilled(String kind) throws Exception {
        Path file = directory.resolve("file");
        SplittableRandom random = new SplittableRandom(2024);
        long[] last = {-1, -1, -1, -1}; // the last accepted write of each place
        long next = 0;
        long accepted = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            List<Long> told = writeUntilKilled(kind, file, next, random.nextInt(60));
            Subject subject = WriterProcess.open(kind, file);
            for (long n : told) {
                last[WriterProcess.place(n, subject)] = n;
                next = n + 1;
                accepted++;
            }
            check(subject, last, next);
            last[WriterProcess.place(next, subject)] = next;
            subject.write(
                    WriterProcess.token(next),
                    WriterProcess.place(next, subject),
                    WriterProcess.value(next));
            next++;
        }
        assertThat(accepted).isGreaterThan(KILLS);
        assertThat(list(directory)).doesNotContain("file.tmp", "file.marks.tmp");
    }

    /** Every place is as it was last accepted, or as the write in flight was to make it. */
    private static void check(Subject subject, long[] last, long flying) {
        for (int place = 0; place < subject.places(); place++) {
            boolean maybe = WriterProcess.place(flying, subject) == place;
            long accepted = last[place];
            int value = subject.value(place);
            int before = accepted < 0 ? 0 : WriterProcess.value(accepted);
            long token = accepted < 0 ? 0 : WriterProcess.token(accepted);
            assertThat(value).isIn(before, maybe ? WriterProcess.value(flying) : before);
            assertThat(subject.mark(place))
                    .isIn(token, maybe ? WriterProcess.token(flying) : token);
            int at = place;
            if (token > 1) {
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> subject.write(token - 1, at, 99));
            }
        }
    }

    private static List<Long> writeUntilKilled(String kind, Path file, long first, int millis)
            throws Exception {
        Process process = WriterProcess.start("write", kind, file, first);
        List<Long> told = new ArrayList<>();
        try (BufferedReader out = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            String line = out.readLine();
            boolean ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
            assertThat(ended).isFalse();
            // through the handle, which leaves what the process has said to be read
            assertThat(process.toHandle().destroyForcibly()).isTrue();
            while (line != null && !line.isEmpty()) {
                told.add(Long.parseLong(line));
                line = out.readLine();
            }
        } finally {
            int code = process.destroyForcibly().waitFor();
            assertThat(code).isEqualTo(137);
        }
        for (int i = 0; i < told.size(); i++) {
            assertThat(told.get(i)).isEqualTo(first + i);
        }
        return told;
    }

    @ParameterizedTest
    @ValueSource(strings = {"whole", "regions"})
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void processesAndThreadsTakeTurns(String kind) throws Exception {
        Path file = directory.resolve("counter");
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(WriterProcess.start("count", kind, file, 150));
        }
        CompletableFuture<?>[] threads = new CompletableFuture<?>[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = CompletableFuture.runAsync(() -> {
                Runnable once = WriterProcess.counter(kind, file);
                for (int n = 0; n < 150; n++) {
                    once.run();
                }
            });
        }
        CompletableFuture.allOf(threads).join();
        for (Process process : processes) {
            assertThat(process.waitFor()).isZero();
        }
        Scope scope = Scope.name("counter");
        byte[] counted = kind.equals("whole")
                ? GuardedFile.open(file, scope).read()
                : GuardedRegionFile.open(file, scope).read(0, 4);
        assertThat(WriterProcess.number(counted)).isEqualTo(600);
        assertThat(Files.readString(Siblings.lock(file))).startsWith("process ");
    }

    private static List<String> list(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }
}
