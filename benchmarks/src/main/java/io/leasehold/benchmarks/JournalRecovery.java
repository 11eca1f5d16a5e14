// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.Time;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * How long it takes to open a journal with many live leases, beside reading its files once; both
 * from the system's page cache. First it is a log alone, then a snapshot and some log behind it.
 */
final class JournalRecovery {

    private static final int OPENINGS = 3;
    private static final int OUTSTANDING = 10_000;
    private static final int GOAL = 10;
    private static final int MIN_SEGMENT = 1 << 19;

    /** With this, a log of a lease each fits into four segments, which no snapshot takes away. */
    private static final int SEGMENT_BYTES_PER_LEASE = 80;

    private static final JournalOptions SMALL =
            JournalOptions.defaults().withSegmentBytes(MIN_SEGMENT);

    private JournalRecovery() {}

    static List<Row> run(Effort effort, Scratch scratch, PrintStream progress) {
        Path directory = scratch.file("recovered");
        int leases = effort.sizes().idle();
        JournalOptions large = JournalOptions.defaults()
                .withSegmentBytes(Math.max(MIN_SEGMENT, SEGMENT_BYTES_PER_LEASE * leases));
        progress.printf("  acquiring %d leases%n", leases);
        try (JournalLeaseStore store = JournalLeaseStore.open(directory, large)) {
            acquire(store, 0, leases);
        }
        List<Row> rows = new ArrayList<>();
        rows.add(measure("a log of " + leases + " leases", directory, progress));
        progress.println("  making a snapshot, and 10 % more leases");
        try (JournalLeaseStore store = JournalLeaseStore.open(directory)) {
            awaitSnapshot(directory);
            acquire(store, leases, leases + leases / 10);
        }
        rows.add(measure("a snapshot of them and 10 % log", directory, progress));
        return rows;
    }

    /** Acquires them all; those that there was no room for just then are asked for again. */
    private static void acquire(JournalLeaseStore store, int from, int to) {
        Requests requests = Requests.of(from, Requests.LONG_TTL);
        Queue<Integer> left = new ConcurrentLinkedQueue<>();
        for (int i = from; i < to; i++) {
            left.add(i);
        }
        Semaphore room = new Semaphore(OUTSTANDING);
        while (!left.isEmpty()) {
            for (int number : List.copyOf(left)) {
                room.acquireUninterruptibly();
                left.remove();
                store.acquire(requests.next(Requests.named(number)))
                        .whenComplete((answer, failure) -> {
                            if (!(answer instanceof Acquisition.Granted)) {
                                left.add(number);
                            }
                            room.release();
                        });
            }
            room.acquireUninterruptibly(OUTSTANDING);
            room.release(OUTSTANDING);
        }
    }

    /** The tick of a second sees to it. */
    private static void awaitSnapshot(Path directory) {
        while (Scratch.files(directory).stream().noneMatch(f -> f.toString().endsWith(".dat"))) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static Row measure(String what, Path directory, PrintStream progress) {
        progress.printf("  opening %s, %d times%n", what, OPENINGS);
        Medians medians = new Medians();
        long unused = read(directory); // it is in the page cache now
        for (int i = 0; i < OPENINGS; i++) {
            System.gc();
            long start = Time.system().nanos();
            long bytes = read(directory);
            medians.add("read", (double) (Time.system().nanos() - start));
            medians.add("bytes", (double) bytes);
            start = Time.system().nanos();
            try (JournalLeaseStore store = JournalLeaseStore.open(directory, SMALL)) {
                medians.add("open", (double) (Time.system().nanos() - start));
                if (store.list(LeaseQuery.all())
                        .toCompletableFuture()
                        .join()
                        .leases()
                        .isEmpty()) {
                    throw new IllegalStateException("the leases are gone");
                }
            }
        }
        String megabytes = Math.round(medians.of("bytes") / 1e6) + " MB";
        return Row.of(
                        Suite.JOURNAL,
                        "opening " + what + ", warm",
                        Quantity.nanoseconds(medians.of("open")))
                .beside("reading its " + megabytes, Quantity.nanoseconds(medians.of("read")))
                .atMost(GOAL);
    }

    /** Reads all files by the shortest way and says how much that was. */
    private static long read(Path directory) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        long bytes = 0;
        for (Path file : Scratch.files(directory)) {
            try (FileChannel channel = FileChannel.open(file)) {
                int read = channel.read(buffer.clear());
                while (read > 0) {
                    bytes += read;
                    read = channel.read(buffer.clear());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return bytes;
    }
}
