// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.VirtualTime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Journals on a simulated disk with something in them, and ways to damage them. */
final class Journals {

    static final Duration TTL = Duration.ofSeconds(10);
    static final Duration FREEZE = Duration.ofSeconds(30);

    /** Makes the segments fill up. */
    static final LeaseRecord LARGE = LeaseRecord.of(new byte[LeaseRecord.MAX_BYTES]);

    final VirtualTime time = VirtualTime.create();
    final SimulatedDisk disk;
    final JournalDirectory directory;
    private final long seed;
    private long ids;

    Journals(long seed) {
        this(seed, Stores.disk(seed));
    }

    /** The journal of a disk. */
    Journals(SimulatedDisk disk) {
        this(0, disk);
    }

    private Journals(long seed, SimulatedDisk disk) {
        this.seed = seed;
        this.disk = disk;
        this.directory = new JournalDirectory(Stores.DIRECTORY, disk);
    }

    JournalLeaseStore open() {
        return Stores.open(time, disk, Stores.SMALL);
    }

    Acquisition acquire(LeaseStore store, String name) {
        LeaseId id = new LeaseId(++ids, seed);
        return store.acquire(LeaseRequest.of(
                        id, Claim.exclusive(Scope.name(name)), new Holder("api-1"), TTL))
                .toCompletableFuture()
                .join();
    }

    Grant grant(LeaseStore store, String name) {
        if (acquire(store, name) instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw new AssertionError(name + " was not granted");
    }

    /** Leases a to d in the first segment, one more in each that follows. */
    void fill(int segments) throws IOException {
        try (JournalLeaseStore store = open()) {
            for (String name : List.of("a", "b", "c", "d")) {
                Grant unused = grant(store, name);
            }
            for (int segment = 2; segment <= segments; segment++) {
                fillUpTo(store, segment);
                Grant unused = grant(store, "in-" + segment);
            }
        }
    }

    private void fillUpTo(JournalLeaseStore store, long segment) throws IOException {
        while (!disk.exists(directory.segment(segment + 1))) {
            var unused = store.complete(grant(store, "filler"), LARGE, TTL);
        }
    }

    /** Leases a to e in a snapshot, f behind it; returns the number of the snapshot. */
    long fillWithSnapshot() throws IOException {
        try (JournalLeaseStore store = open()) {
            for (String name : List.of("a", "b", "c", "d", "e")) {
                Grant unused = grant(store, name);
            }
            fillUpTo(store, 5);
            time.advance(Duration.ofSeconds(1));
            Grant unused = grant(store, "f");
            return directory.contents().snapshot();
        }
    }

    JournalReport inspect() {
        return JournalTools.inspect(directory, time, line -> {});
    }

    JournalRepair repair() {
        return repair(OptionalLong.empty());
    }

    JournalRepair repair(OptionalLong lastToken) {
        return new Repair(directory, time, line -> {}).run(FREEZE, lastToken, plan -> true);
    }

    /** Which scopes are leased, but for those that only fill. */
    static Set<String> held(JournalReport report) {
        return names(report.leases().list(LeaseQuery.all()).leases());
    }

    static Set<String> held(LeaseStore store) {
        return names(store.list(LeaseQuery.all()).toCompletableFuture().join().leases());
    }

    private static Set<String> names(List<LeaseView> leases) {
        Set<String> names = new TreeSet<>();
        leases.forEach(lease -> {
            String name = lease.holding().claim().scopes().get(0).toString();
            if (!name.equals("name:filler")) {
                names.add(name.substring("name:".length()));
            }
        });
        return names;
    }

    /** The bytes of all files of a journal, by name. */
    Map<String, ByteBuffer> files(Path there) throws IOException {
        Map<String, ByteBuffer> files = new TreeMap<>();
        for (Path file : new JournalDirectory(there, disk).contents().files()) {
            files.put(String.valueOf(file.getFileName()), ByteBuffer.wrap(disk.bytes(file)));
        }
        return files;
    }

    /** Puts files there as if they had always been there. */
    void put(Map<String, ByteBuffer> files) {
        files.forEach((name, content) -> {
            byte[] bytes = new byte[content.remaining()];
            content.get(0, bytes);
            disk.put(Stores.DIRECTORY.resolve(name), bytes);
        });
    }

    // ---- damage

    /** Where a segment's or snapshot's batch begins that has the given number in it, from 0. */
    long offsetOf(Path file, long number, int batch) {
        ByteBuffer bytes = ByteBuffer.wrap(disk.bytes(file));
        long at = FileHead.LENGTH;
        for (int i = 0; i < batch; i++) {
            at += BatchHead.read(bytes.slice((int) at, BatchHead.LENGTH), number, at)
                    .orElseThrow()
                    .extent();
        }
        return at;
    }

    void flip(Path file, long offset) {
        byte[] bytes = disk.bytes(file);
        bytes[(int) offset] ^= 1;
        disk.put(file, bytes);
    }

    void cut(Path file, long length) {
        disk.put(file, Arrays.copyOf(disk.bytes(file), (int) length));
    }

    void delete(Path file) throws IOException {
        boolean unused = disk.delete(file);
        disk.forceDirectory(Stores.DIRECTORY);
    }
}
