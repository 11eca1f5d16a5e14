// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Time;
import io.leasehold.testkit.TestLength;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes under load, killed with SIGKILL at some moment: while they open the journal, write,
 * begin a segment, make a snapshot. What they were told survives, and nothing else happens.
 *
 * <p>30 kills in every build, 300 with {@code -Dleasehold.long}.
 */
final class ProcessKillTest {

    private static final int KILLS = TestLength.of(8, 300);
    private static final int ENOUGH_FOR_EACH_MOMENT = 200;
    private static final int LANES = 2;
    private static final long SEED = 2026;
    private static final long LONGEST_NANOS = 100_000_000;
    private static final String TEMPORARY = ".tmp";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    /** One journal, and the processes that have it one after the other. */
    private static final class Lane {

        private final Path root;
        private final Path directory;
        private final SplittableRandom random;
        private final Ledger ledger = new Ledger();
        private int duringOpening;
        private int duringSnapshot;
        private int duringLayout;
        private int snapshots;
        private int rotations;
        private int checks;

        Lane(Path root, SplittableRandom random) throws IOException {
            this.root = Files.createDirectory(root);
            this.directory = root.resolve("journal");
            this.random = random;
        }

        void run(int kills) {
            try {
                for (int kill = 1; kill <= kills; kill++) {
                    killOne(kill);
                    if (kill == kills || random.nextInt(3) > 0) {
                        check();
                    }
                }
            } catch (IOException | InterruptedException e) {
                throw new CompletionException(e);
            }
        }

        private void killOne(int round) throws IOException, InterruptedException {
            Path trail = root.resolve("trail");
            Process process = LoadProcess.start(directory, trail, root.resolve("errors"), round);
            try (BufferedReader out = process.inputReader(StandardCharsets.US_ASCII)) {
                await(LoadProcess.UP, out);
                int moment = random.nextInt(8);
                if (moment == 0) {
                    pause(process, random.nextInt(60));
                    kill(process);
                    duringOpening += out.readLine() == null ? 1 : 0;
                } else {
                    await(LoadProcess.OPEN, out);
                    List<String> before = files();
                    switch (moment) {
                        case 1 -> pause(process, random.nextInt(30));
                        case 2, 3, 4 -> awaitFile(".dat" + TEMPORARY);
                        default -> {
                            await(LoadProcess.BUSY, out);
                            if (moment == 5) {
                                awaitFile(TEMPORARY);
                            } else {
                                pause(process, random.nextInt(5, 150));
                            }
                        }
                    }
                    kill(process);
                    count(before, files());
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            ledger.take(Trail.read(trail));
            Files.deleteIfExists(trail);
        }

        private void await(String word, BufferedReader out) throws IOException {
            assertThat(out.readLine()).as("%s", errors()).isEqualTo(word);
        }

        /** Waits until such a file is in the making, but not for long. */
        private void awaitFile(String ending) throws IOException {
            long end = Time.system().nanos() + LONGEST_NANOS;
            boolean found = false;
            while (!found && Time.system().nanos() < end) {
                found = files().stream().anyMatch(file -> file.endsWith(ending));
            }
        }

        private void pause(Process process, int millis) throws IOException, InterruptedException {
            boolean ended = process.waitFor(millis, TimeUnit.MILLISECONDS);
            assertThat(ended).as("ended by itself: %s", errors()).isFalse();
        }

        private static void kill(Process process) throws InterruptedException {
            // through the handle, which leaves what the process has said to be read
            assertThat(process.toHandle().destroyForcibly()).isTrue();
            assertThat(process.waitFor()).isEqualTo(137);
        }

        private void count(List<String> before, List<String> after) {
            duringSnapshot += after.stream().anyMatch(f -> f.endsWith(".dat" + TEMPORARY)) ? 1 : 0;
            duringLayout += after.stream().anyMatch(f -> f.endsWith(".log" + TEMPORARY)) ? 1 : 0;
            List<String> added = new ArrayList<>(after);
            added.removeAll(before);
            snapshots += added.stream().anyMatch(f -> f.endsWith(".dat")) ? 1 : 0;
            rotations += added.stream().filter(f -> f.endsWith(".log")).count() > 1 ? 1 : 0;
        }

        private void check() {
            try (JournalLeaseStore store = LoadProcess.open(directory, Time.system())) {
                ledger.check(store, random);
            }
            checks++;
        }

        private List<String> files() throws IOException {
            try (var files = Files.list(directory)) {
                return files.map(file -> String.valueOf(file.getFileName())).toList();
            }
        }

        private String errors() throws IOException {
            Path errors = root.resolve("errors");
            return Files.exists(errors) ? Files.readString(errors) : "";
        }
    }

    @Test
    void nothingThatWasAnsweredIsLostWhenProcessesAreKilled() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        List<Lane> lanes = new ArrayList<>();
        List<CompletableFuture<Void>> runs = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            Lane lane = new Lane(temporary.resolve("lane-" + i), random.split());
            lanes.add(lane);
            runs.add(CompletableFuture.runAsync(() -> lane.run(KILLS / LANES)));
        }
        for (CompletableFuture<Void> run : runs) {
            run.get(60 + 2 * KILLS, TimeUnit.SECONDS);
        }
        judge(lanes);
    }

    private static void judge(List<Lane> lanes) {
        Ledger.Counts counts = new Ledger.Counts();
        lanes.forEach(lane -> counts.add(lane.ledger.counts()));
        int opening = lanes.stream().mapToInt(lane -> lane.duringOpening).sum();
        int snapshot = lanes.stream().mapToInt(lane -> lane.duringSnapshot).sum();
        int layout = lanes.stream().mapToInt(lane -> lane.duringLayout).sum();
        int snapshots = lanes.stream().mapToInt(lane -> lane.snapshots).sum();
        int rotations = lanes.stream().mapToInt(lane -> lane.rotations).sum();
        int checks = lanes.stream().mapToInt(lane -> lane.checks).sum();
        System.out.println("kill test: " + KILLS + " kills, " + checks + " checks, "
                + counts.grants + " grants, " + counts.rotations + " rotations, "
                + counts.endings + " endings, " + counts.records + " records found, "
                + counts.unknown + " unanswered of which " + counts.done + " done, "
                + counts.unavailable + " unavailable; killed during opening " + opening
                + ", snapshot " + snapshot + ", layout " + layout + ", after snapshot " + snapshots
                + ", after a new segment " + rotations + "; seed " + SEED);
        assertThat(counts.grants).isGreaterThan(KILLS);
        assertThat(counts.rotations).isPositive();
        assertThat(counts.endings).isGreaterThan(KILLS);
        assertThat(counts.records).isPositive();
        assertThat(counts.unknown).isGreaterThan(1);
        assertThat(counts.done).isBetween(1L, counts.unknown - 1);
        if (KILLS >= ENOUGH_FOR_EACH_MOMENT) {
            assertThat(List.of(opening, snapshot, layout, snapshots, rotations))
                    .as("kills during each of these")
                    .allMatch(times -> times > 0);
        }
    }
}
