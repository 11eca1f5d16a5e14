// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.testkit.SimulatedDisk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Journals that were made once, to be put on many disks. */
final class Images {

    private static final int OLD = 5;

    /** By how often it had been opened. */
    private static final List<Map<Path, byte[]>> JOURNALS = journals();

    private Images() {}

    /** A disk with a journal that was opened a number of times, so that a snapshot is near. */
    static SimulatedDisk disk(long choice, long seed) {
        SimulatedDisk disk = Stores.disk(seed);
        put(JOURNALS.get((int) (choice % JOURNALS.size())), disk);
        return disk;
    }

    static void put(Map<Path, byte[]> files, SimulatedDisk disk) {
        files.forEach(disk::put);
    }

    /** The files of the journal on a disk. */
    static Map<Path, byte[]> of(SimulatedDisk disk) {
        Map<Path, byte[]> files = new TreeMap<>();
        try {
            for (Path file : disk.list(Stores.DIRECTORY)) {
                files.put(file, disk.bytes(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    private static List<Map<Path, byte[]>> journals() {
        World world = World.create(1);
        world.store.close();
        List<Map<Path, byte[]>> all = new ArrayList<>();
        for (int i = 0; i < OLD; i++) {
            all.add(of(world.disk));
            world.reopen();
            world.store.close();
        }
        return List.copyOf(all);
    }
}
