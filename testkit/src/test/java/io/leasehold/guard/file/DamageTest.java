// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files that were cut, flipped, put back or exchanged are refused, or it makes no difference. */
final class DamageTest {

    private static final Path FILE = Path.of("/data/file");
    private static final Path LOG = Path.of("/data/file.marks");
    private static final Scope INODE = Scope.inode(Subject.INODE);

    private final SimulatedDisk disk = SimulatedDisk.create(1);

    @BeforeEach
    void directory() throws IOException {
        disk.createDirectories(Path.of("/data"));
    }

    private GuardedFile whole() {
        return GuardedFile.open(FILE, INODE, disk);
    }

    private GuardedRegionFile regions() {
        return GuardedRegionFile.open(FILE, INODE, disk, 1024);
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        byte[] changed = bytes.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        return changed;
    }

    @Test
    void everyFlippedBitOfAWholeFileIsRefused() {
        whole().write(token(3), file -> file.replace(new byte[] {1, 2, 3, 4, 5}));
        byte[] good = disk.bytes(FILE);
        for (int bit = 0; bit < good.length * 8; bit++) {
            disk.put(FILE, flipped(good, bit));
            assertDamaged(FILE, this::whole);
        }
        disk.put(FILE, good);
        assertThat(whole().read()).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void aWholeFileOfAnyOtherLengthIsRefused() {
        whole().write(token(3), file -> file.replace(new byte[] {1, 2, 3, 4, 5}));
        byte[] good = disk.bytes(FILE);
        for (int length = 0; length <= good.length + 100; length++) {
            if (length != good.length) {
                disk.put(FILE, Arrays.copyOf(good, length));
                assertDamaged(FILE, this::whole);
            }
        }
    }

    @Test
    void everyFlippedBitOfALogIsRefusedOrMakesNoDifference() {
        GuardedRegionFile guard = regions();
        guard.write(Subject.admission(3, 0), file -> file.write(0, new byte[] {1, 2, 3}));
        guard.write(Subject.admission(5, 1), file -> file.write(700, new byte[] {4, 5}));
        guard.seal(Subject.admission(8, 0));
        guard.write(Subject.admission(9, 0), file -> file.write(1, new byte[] {6}));
        byte[] good = disk.bytes(LOG);
        byte[] data = disk.bytes(FILE);
        int refused = 0;
        for (int bit = 0; bit < good.length * 8; bit++) {
            disk.put(LOG, flipped(good, bit));
            disk.put(FILE, data);
            try {
                checkUnchanged(regions());
                checkUnchanged(regions());
            } catch (DamagedFileException e) {
                assertThat(e.file()).isEqualTo(LOG);
                refused++;
            }
        }
        assertThat(refused).isBetween(500 * 8, good.length * 8 - 1);
    }

    private void checkUnchanged(GuardedRegionFile guard) {
        assertThat(guard.mark(Subject.range(0))).contains(token(9));
        assertThat(guard.mark(Subject.range(1))).contains(token(5));
        assertThat(guard.mark(Subject.range(2))).isEmpty();
        assertThat(guard.read(0, 3)).containsExactly(1, 6, 3);
        assertThat(guard.read(700, 10)).containsExactly(4, 5);
    }

    @Test
    void aLogOfAnyOtherLengthIsRefused() {
        regions().write(token(3), file -> file.write(0, new byte[] {1, 2, 3}));
        byte[] good = disk.bytes(LOG);
        for (int length = 0; length <= good.length + 40; length++) {
            if (length != good.length) {
                disk.put(LOG, Arrays.copyOf(good, length));
                assertDamaged(LOG, this::regions);
            }
        }
    }

    /** The last record of a log can be torn by a crash, which is why its slot must speak for it. */
    @Test
    void theLastChangeIsNotTakenForATornOneWhenItWasDamagedLater() {
        GuardedRegionFile guard = regions();
        guard.seal(token(3));
        guard.seal(token(9));
        byte[] log = disk.bytes(LOG);
        int last = new String(log, StandardCharsets.ISO_8859_1).lastIndexOf("LREC");
        log[last + 30] ^= 1;
        disk.put(LOG, log);

        assertThatExceptionOfType(DamagedFileException.class)
                .isThrownBy(this::regions)
                .satisfies(damaged -> assertThat(damaged.offset()).isEqualTo(last))
                .withMessageContaining("there is what was written after it")
                .withMessageContaining("seal it with a newly granted token");
    }

    @Test
    void dataThatIsShorterThanWhatWasWrittenIsRefused() {
        regions().write(token(3), file -> file.write(0, new byte[] {1, 2, 3}));
        for (int length = 0; length < 3; length++) {
            disk.put(FILE, new byte[length]);
            assertDamaged(FILE, this::regions);
        }
        disk.put(FILE, new byte[4]);
        assertThat(regions().read(0, 10)).hasSize(4);
    }

    @Test
    void aFileOfAnotherResourceOrVersionIsRefusedByName() {
        whole().seal(token(3));
        assertThatExceptionOfType(DamagedFileException.class)
                .isThrownBy(() -> GuardedFile.open(FILE, Scope.name("other"), disk))
                .withMessageContaining("it guards inode:7, not name:other");

        byte[] newer = disk.bytes(FILE);
        ByteBuffer.wrap(newer).putInt(8, 2);
        disk.put(FILE, newer);
        assertThatExceptionOfType(DamagedFileException.class)
                .isThrownBy(this::whole)
                .withMessageContaining("version 2");

        disk.put(
                FILE,
                "no guard wrote this, and it is longer than a header"
                        .getBytes(StandardCharsets.US_ASCII));
        assertThatExceptionOfType(DamagedFileException.class)
                .isThrownBy(this::whole)
                .withMessageContaining("does not begin as a guarded file does");
    }

    @Test
    void aFileThatIsDeletedOrPutBackUnderAGuardIsRefused() throws IOException {
        GuardedFile guard = whole();
        guard.seal(token(3));
        byte[] old = disk.bytes(FILE);
        guard.seal(token(9));
        disk.put(FILE, old);
        assertDamaged(FILE, () -> guard.seal(token(9)));
        assertThat(disk.delete(FILE)).isTrue();
        assertDamaged(FILE, () -> guard.seal(token(9)));
    }

    @Test
    void aLogThatIsDeletedUnderAGuardIsRefused() throws IOException {
        GuardedRegionFile guard = regions();
        guard.seal(token(3));
        assertThat(disk.delete(LOG)).isTrue();
        assertDamaged(LOG, () -> guard.seal(token(9)));
    }

    private static void assertDamaged(Path file, Runnable opening) {
        assertThatExceptionOfType(DamagedFileException.class)
                .isThrownBy(opening::run)
                .satisfies(damaged -> {
                    assertThat(damaged.file()).isEqualTo(file);
                    assertThat(damaged.problem()).isNotEmpty();
                });
    }
}
