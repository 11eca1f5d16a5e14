// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Marks;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.LockInterruptedException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the guards of files do beyond the contracts of all guards. */
final class FileGuardRulesTest {

    private static final Path FILE = Path.of("/data/file");
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
        return GuardedRegionFile.open(FILE, INODE, disk);
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    @Test
    void aWholeFileIsNotWrittenUnderALeaseOnAPart() {
        assertThatExceptionOfType(ScopeMismatchException.class)
                .isThrownBy(() -> whole().seal(Subject.admission(1, 0)))
                .withMessage("the guard of inode:7 was asked about range:7:0-700");
    }

    @Test
    void aRegionIsNotWrittenOutsideOfTheAdmittedRange() {
        GuardedRegionFile guard = regions();
        Admission second = Subject.admission(3, 1);
        for (long offset : new long[] {0, 699, 1_399}) {
            assertThatExceptionOfType(ScopeMismatchException.class)
                    .isThrownBy(() -> guard.write(second, file -> {
                        file.write(700, new byte[10]);
                        file.write(offset, new byte[2]);
                    }))
                    .withMessageContaining("does not cover range:7:" + offset);
        }
        assertThat(guard.mark()).isEmpty();
        guard.write(second, file -> {
            file.write(700, new byte[] {1, 2});
            file.write(1_399, new byte[] {3});
            assertThat(file.read(700, 2)).containsExactly(1, 2);
            assertThat(file.read(1_399, 9)).containsExactly(3);
            assertThat(file.read(5_000, 9)).isEmpty();
        });
        assertThat(guard.read(1_398, 9)).containsExactly(0, 3);
    }

    @Test
    void aChangeThatThrowsLeavesDataAndMarkAsTheyWere() {
        GuardedFile whole = whole();
        GuardedRegionFile region = GuardedRegionFile.open(Path.of("/data/other"), INODE, disk);
        assertThatIllegalStateException()
                .isThrownBy(() -> whole.write(token(5), file -> {
                    file.replace(new byte[] {1});
                    throw new IllegalStateException("no");
                }));
        assertThatIllegalStateException()
                .isThrownBy(() -> region.write(token(5), file -> {
                    file.write(0, new byte[] {1});
                    throw new IllegalStateException("no");
                }));
        assertThat(whole.mark()).isEmpty();
        assertThat(region.mark()).isEmpty();
        assertThat(whole.read()).isEmpty();
        assertThat(region.read(0, 1)).isEmpty();
    }

    @Test
    void limitsAreRefusedBeforeAnythingIsWritten() {
        GuardedRegionFile guard = regions();
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> guard.write(token(1), file -> {
                    file.write(GuardedRegionFile.MAX_SIZE, new byte[1]);
                }));
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> guard.write(token(1), file -> {
                    file.write(0, new byte[GuardedRegionFile.MAX_CHANGE_BYTES - 20]);
                    file.write(0, new byte[1]);
                }))
                .withMessageContaining("make several changes");
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> GuardedFile.open(Path.of("/data/whole"), INODE, disk)
                        .write(token(1), file -> {
                            file.replace(new byte[GuardedFile.MAX_BYTES + 1]);
                        }));
        assertThat(guard.mark()).isEmpty();
    }

    @Test
    void theLargestChangeAndTheMostMarksFitIntoALog() {
        GuardedRegionFile guard = regions();
        byte[] most = new byte[GuardedRegionFile.MAX_CHANGE_BYTES - LogRecord.Piece.OVERHEAD];
        most[most.length - 1] = 7;
        guard.write(token(1), file -> file.write(0, most));
        assertThat(regions().read(most.length - 1, 9)).containsExactly(7);

        for (int i = 0; i < Marks.MAX_RANGES - 3; i++) {
            guard.admit(Admission.of(token(2 + i % 2), Scope.range(Subject.INODE, i, i + 1)));
        }
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> guard.admit(
                        Admission.of(token(9), Scope.range(Subject.INODE, 1_000_000, 1_000_001))));
        GuardedRegionFile again = regions();
        assertThat(again.mark(Scope.range(Subject.INODE, 8, 9))).contains(token(2));
        assertThat(again.mark(Scope.range(Subject.INODE, 9, 10))).contains(token(3));
        again.seal(token(9));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.seal(Subject.admission(8, 3)));
    }

    @Test
    void changesDoNotNestAndHandlesDoNotOutliveThem() {
        GuardedFile guard = whole();
        FileContents[] kept = new FileContents[1];
        guard.write(token(1), file -> {
            kept[0] = file;
            assertThat(guard.read()).isEmpty();
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.seal(token(2)))
                    .withMessageContaining("can't start within another one");
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> kept[0].replace(new byte[0]))
                .withMessageContaining("the change is over");
    }

    @Test
    void aLeftoverOfAKilledWriterIsRemoved() throws IOException {
        regions().seal(token(1));
        disk.put(Path.of("/data/file.marks.tmp"), new byte[9]);
        disk.put(Path.of("/data/whole.tmp"), new byte[9]);
        assertThat(regions().mark()).contains(token(1));
        GuardedFile unused = GuardedFile.open(Path.of("/data/whole"), INODE, disk);
        assertThat(disk.list(Path.of("/data"))).containsExactly(FILE, Path.of("/data/file.marks"));
    }

    @Test
    void onAFullDiskNothingIsAcceptedUntilThereIsSpaceAgain() {
        GuardedFile whole = GuardedFile.open(Path.of("/data/whole"), INODE, disk);
        whole.write(token(1), file -> file.replace(new byte[] {1}));
        disk.failFrom(1, DiskFault.NO_SPACE);
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> whole.write(token(2), file -> file.replace(new byte[] {2})))
                .withMessageContaining("was not changed")
                .withMessageContaining("No space left");
        assertThat(whole.mark()).contains(token(1));
        assertThat(whole.read()).containsExactly(1);
        disk.heal();
        whole.write(token(2), file -> file.replace(new byte[] {2}));
        assertThat(whole.read()).containsExactly(2);
    }

    @Test
    void aSecondGuardSeesWhatTheFirstHasMarkedAlsoAfterTheLogWasReplaced() {
        GuardedRegionFile first = GuardedRegionFile.open(FILE, INODE, disk, 1024);
        GuardedRegionFile second = GuardedRegionFile.open(FILE, INODE, disk, 1024);
        for (long n = 1; n < 60; n++) {
            FencingToken now = token(n);
            first.write(now, file -> file.write(0, new byte[] {(byte) now.value()}));
            assertThat(second.mark()).contains(now);
            assertThat(second.read(0, 1)).containsExactly((byte) n);
            second.write(now, file -> file.write(1, new byte[100]));
        }
    }

    @Test
    void aMissingDirectoryIsSaidAtOnce() {
        Path nowhere = Path.of("/no-such-directory/file");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> GuardedFile.open(nowhere, INODE, Disk.system()))
                .withMessageContaining("/no-such-directory/file can't be reached");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> GuardedFile.read(nowhere))
                .withMessageContaining("can't be read");
    }

    @Test
    void anInterruptedWriterWritesNothing() {
        GuardedFile guard = whole();
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> guard.seal(token(3)));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(guard.mark()).isEmpty();
    }
}
