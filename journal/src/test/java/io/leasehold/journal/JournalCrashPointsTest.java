// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.TestLength;
import org.junit.jupiter.api.Test;

/** The journal keeps what it answered, wherever in its work it ends. */
final class JournalCrashPointsTest {

    private static final int ENOUGH = TestLength.of(500, 20_000);

    @Test
    void whateverDiskOperationIsTheLastWhatWasAnsweredIsKept() {
        long points = 0;
        long seed = 1;
        while (points < ENOUGH) {
            points += pointsOf(seed++);
        }
        System.out.println("crash points: " + points + " in " + (seed - 1) + " runs");
    }

    /** Each operation of one run, each fault. */
    private static long pointsOf(long seed) {
        long operations = CrashRun.operations(seed);
        long points = 0;
        for (long at = 1; at <= operations; at++) {
            for (DiskFault fault : DiskFault.values()) {
                try {
                    points += new CrashRun(seed, at, fault).run();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(
                            "seed " + seed + ", operation " + at + " of " + operations + ", "
                                    + fault,
                            e);
                }
            }
        }
        assertThat(points).isPositive();
        return points;
    }
}
