// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Disk;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.VirtualTime;

import java.nio.file.Path;

/** Opens journals the way tests need them. */
final class Stores {

    static final Path DIRECTORY = Path.of("/data/journal");

    static final JournalOptions SMALL =
            JournalOptions.defaults().withSegmentBytes(JournalOptions.MIN_SEGMENT_BYTES);

    private Stores() {}

    /** A disk with the parent of the directory on it. */
    static SimulatedDisk disk(long seed) {
        SimulatedDisk disk = SimulatedDisk.create(seed);
        disk.put(DIRECTORY.resolveSibling("other"), new byte[0]);
        return disk;
    }

    static JournalLeaseStore open(VirtualTime time, Disk disk, JournalOptions options) {
        return open(time, disk, options, new InlineThreads());
    }

    static JournalLeaseStore open(
            VirtualTime time, Disk disk, JournalOptions options, InlineThreads threads) {
        return JournalLeaseStore.open(
                DIRECTORY, options, new Surroundings(time, disk, () -> threads));
    }

    /** A store in virtual time on a simulated disk, deterministic. */
    static StoreUnderTest underTest(TableOptions options) {
        VirtualTime time = VirtualTime.create();
        return StoreUnderTest.on(time, open(time, disk(1), SMALL.withTable(options)));
    }
}
