// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.TestLength;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same seeded run again and again, with a fault at the first disk operation, at the second, and
 * so on to the last. Whatever the writers were told is true after it, and no fault of this kind
 * looks like damage.
 */
final class FileCrashTest {

    private static final Path FILE = Path.of("/data/file");
    private static final int SEEDS = TestLength.of(1, 4);
    private static final int STEPS = 24;

    @ParameterizedTest
    @EnumSource(DiskFault.class)
    void aWholeFileSurvivesAFaultAtEveryOperation(DiskFault fault) throws IOException {
        everywhere(Subject::whole, fault);
    }

    @ParameterizedTest
    @EnumSource(DiskFault.class)
    void aRegionFileSurvivesAFaultAtEveryOperation(DiskFault fault) throws IOException {
        everywhere(Subject::regions, fault);
    }

    private static void everywhere(Subject.Kind kind, DiskFault fault) throws IOException {
        long runs = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            long operations = run(kind, seed, Long.MAX_VALUE / 4, fault);
            for (long at = 1; at <= operations; at++) {
                try {
                    long unused = run(kind, seed, at, fault);
                } catch (Throwable e) {
                    throw new AssertionError(
                            "seed " + seed + ", " + fault + " at operation " + at, e);
                }
                runs++;
            }
        }
        assertThat(runs).isGreaterThan(100L * SEEDS);
    }

    /** One run, the fault within its first half; returns how many operations that half has. */
    private static long run(Subject.Kind kind, long seed, long at, DiskFault fault)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create(seed * 1_000_003 + at);
        disk.createDirectories(Path.of("/data"));
        Ledger ledger = new Ledger(kind.open(Path.of("/data/other"), disk).places(), seed);
        long before = disk.operations();
        disk.failAt(at, fault);
        write(kind, disk, ledger);
        long operations = disk.operations() - before;
        if (disk.isDown()) {
            disk.restart();
        }
        disk.heal();
        Subject recovered = kind.open(FILE, disk);
        ledger.settle(recovered);
        disk.crash();
        disk.restart();
        Subject again = kind.open(FILE, disk);
        ledger.check(again);
        for (int i = 0; i < STEPS; i++) {
            ledger.step(again);
        }
        ledger.check(again);
        disk.crash();
        disk.restart();
        ledger.check(kind.open(FILE, disk));
        return operations;
    }

    private static void write(Subject.Kind kind, SimulatedDisk disk, Ledger ledger) {
        Subject subject;
        try {
            subject = kind.open(FILE, disk);
        } catch (StoreUnavailableException | OutcomeUnknownException e) {
            if (disk.isDown()) {
                return;
            }
            subject = kind.open(FILE, disk); // it was a single fault
        }
        for (int i = 0; i < STEPS && !disk.isDown(); i++) {
            ledger.step(subject);
        }
    }
}
