// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LeaseRecord;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.TestLength;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Files that are shorter than they were, or whose end never reached the disk. */
final class JournalTruncationTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int MEGABYTE = 1 << 20;
    /** Every so many bytes a file is cut; 13 meets all places within a word and a sector. */
    private static final int STEP = TestLength.of(31, 1);

    private static final JournalDirectory NAMES =
            new JournalDirectory(Stores.DIRECTORY, SimulatedDisk.create(0));
    private static final Path FIRST = NAMES.segment(1);

    /** A journal of one segment of a megabyte, filled. */
    private static Map<Path, byte[]> megabyte() {
        World world = World.closed(Stores.disk(1));
        world.options = JournalOptions.defaults().withSegmentBytes(MEGABYTE);
        world.start();
        for (int i = 0; i < 34; i++) {
            CompletionStage<?> unused = world.store.acquire(World.request(i, "lease-" + i, LONG)
                    .withRecord(LeaseRecord.of(new byte[30_000])));
        }
        return Images.of(world.disk);
    }

    @Test
    void aFileThatWasCutIsRefusedWhereverThatWas() {
        Damage journal = new Damage(megabyte());
        assertThat(journal.read().entries()).hasSize(34);
        for (int at = 0; at < MEGABYTE; at += STEP) {
            journal.cut(FIRST, at);
            if (!journal.refused().equals(FIRST)) {
                throw new AssertionError("cut at " + at + ", " + journal.refused());
            }
        }
        System.out.println("truncations: " + MEGABYTE / STEP);
    }

    @Test
    void aFileThatIsMissingIsRefusedByItsName() {
        World world = World.on(Images.disk(4, 1));
        CompletionStage<?> unused = world.store.acquire(World.request("a", LONG));
        world.pass(Duration.ofSeconds(2));
        world.closeAndReopen();
        world.closeAndReopen();
        world.store.close();
        Map<Path, byte[]> files = Images.of(world.disk);
        List<Path> needed = new ArrayList<>(files.keySet());
        Path spare = needed.stream()
                .filter(file -> file.toString().endsWith(".log"))
                .max(Path::compareTo)
                .orElseThrow();
        needed.remove(spare);
        assertThat(needed).hasSizeGreaterThan(3);
        for (Path file : needed) {
            Damage journal = new Damage(files);
            journal.remove(file);
            assertThatExceptionOfType(DamagedFileException.class)
                    .as("without %s", file)
                    .isThrownBy(journal::read)
                    .withMessageContaining("missing");
        }
        Damage journal = new Damage(files);
        journal.remove(spare);
        assertThat(journal.read()).isEqualTo(new Damage(files).read());
    }

    /** Some kilobytes of batches of all sizes, and what each came to. */
    private static List<Damage.State> fill(World world, int batches) {
        List<Damage.State> states = new ArrayList<>();
        states.add(new Damage(Images.of(world.disk)).read());
        for (int i = 0; i < batches; i++) {
            CompletionStage<?> unused = world.store.acquire(World.request(i, "lease-" + i, LONG)
                    .withRecord(LeaseRecord.of("r".repeat(i * i * 10))));
            states.add(new Damage(Images.of(world.disk)).read());
        }
        return states;
    }

    @Test
    void whatNeverReachedTheDiskLeavesWhatCameBeforeIt() {
        World world = World.create(1);
        List<Damage.State> states = new ArrayList<>(); // by the sequence of the last batch
        states.add(new Damage(Map.of()).read());
        states.addAll(fill(world, 24));
        Damage journal = new Damage(Images.of(world.disk));
        journal.remove(NAMES.segment(2)); // its name says that the first was begun
        int used = used(journal.bytes(FIRST));
        assertThat(used).isGreaterThan(40_000);
        int refused = 0;
        for (int at = used - 1; at >= 0; at--) {
            journal.bytes(FIRST)[at] = 0;
            if (at % STEP != 0) {
                continue;
            }
            try {
                Damage.State state = journal.read();
                if (!states.get((int) state.sequence()).equals(state)) {
                    throw new AssertionError("zeros from " + at + " leave " + state);
                }
            } catch (DamagedFileException e) {
                // within the last bytes of a batch, where no sector ends and no write does
                refused++;
            }
        }
        assertThat(refused).isLessThan(Long.BYTES * states.size());
        System.out.println("ends that were never written: " + used / STEP + ", refused " + refused);
    }

    @Test
    void whatALaterSegmentTellsOfIsMissed() {
        World world = World.create(1);
        List<Damage.State> unused = fill(world, 12);
        world.closeAndReopen();
        Damage journal = new Damage(Images.of(world.disk));
        byte[] first = journal.bytes(FIRST);
        for (int at = used(first) - 1; at >= 0; at--) {
            first[at] = 0;
            if (at % STEP != 0) {
                continue;
            }
            assertThat(journal.refused()).as("zeros from %d", at).isEqualTo(FIRST);
        }
    }

    @Test
    void aSectorThatIsLostIsMissedByTheBatchesBehindIt() {
        World world = World.create(1);
        List<Damage.State> states = new ArrayList<>();
        states.add(new Damage(Map.of()).read());
        states.addAll(fill(world, 24));
        Damage journal = new Damage(Images.of(world.disk));
        byte[] first = journal.bytes(FIRST);
        byte[] whole = first.clone();
        Damage.State before = states.get(states.size() - 2);
        // where the last two batches share a sector, nothing is left that misses either
        Damage.State beforeBoth = states.get(states.size() - 3);
        int dropped = 0;
        int both = 0;
        for (int at = 0; at < used(whole); at += BatchScanner.SECTOR) {
            Arrays.fill(first, at, at + BatchScanner.SECTOR, (byte) 0);
            try {
                Damage.State found = journal.read();
                assertThat(found).as("a hole at %d", at).isIn(before, beforeBoth);
                dropped++;
                both += found.equals(before) ? 0 : 1;
            } catch (DamagedFileException refusal) {
                assertThat(refusal.file()).isEqualTo(FIRST);
            }
            System.arraycopy(whole, at, first, at, BatchScanner.SECTOR);
        }
        int last = BatchHead.extent(23 * 23 * 10) / BatchScanner.SECTOR;
        assertThat(dropped).as("sectors of the last batch").isBetween(last - 1, last + 2);
        assertThat(both).as("sectors of the last two").isLessThanOrEqualTo(1);
    }

    /** Up to where there is anything but zeros. */
    static int used(byte[] bytes) {
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }
}
