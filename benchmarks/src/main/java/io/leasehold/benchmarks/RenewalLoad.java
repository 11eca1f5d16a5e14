// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import com.sun.management.OperatingSystemMXBean;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The processor time of this whole process while one client keeps many leases of 30 s alive, engine included. */
final class RenewalLoad {

    /** The processor time of this process up to now. */
    static final LongSupplier THIS_PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getProcessCpuTime;

    private static final int GOAL_PERCENT = 10;
    private static final int THREADS = 64;

    private RenewalLoad() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        try (MemoryLeaseStore store = MemoryLeaseStore.create()) {
            return List.of(measure(Suite.RENEWAL, store, effort, progress));
        }
    }

    static Row measure(Suite suite, LeaseStore store, Effort effort, PrintStream progress) {
        return measure(suite, store, Map.of("", THIS_PROCESS), effort, progress).get(0);
    }

    /** A row for each of several processes, by what sets it apart. */
    static List<Row> measure(
            Suite suite,
            LeaseStore store,
            Map<String, LongSupplier> meters,
            Effort effort,
            PrintStream progress) {
        int leases = effort.sizes().renewed();
        try (Leasehold leasehold = Leasehold.on(store)) {
            progress.printf("  acquiring %d leases%n", leases);
            Queue<Lease> held = acquire(leasehold, leases);
            Duration settling =
                    effort.renewal().dividedBy(2); // the first renewals compile the code
            progress.printf(
                    "  settling for %s, then watching for %s%n", settling, effort.renewal());
            pause(settling);
            String what = "renewing " + leases + " leases of 30 s";
            List<Row> rows = new ArrayList<>();
            watch(effort.renewal(), meters)
                    .forEach((process, load) ->
                            rows.add(Row.of(suite, what + process, load).atMost(GOAL_PERCENT)));
            held.forEach(Lease::ensureValid);
            return rows;
        }
    }

    /** By many threads, for engines that make callers wait for a disk. */
    private static Queue<Lease> acquire(Leasehold leasehold, int leases) {
        Queue<Lease> held = new ConcurrentLinkedQueue<>();
        Crowd.run(THREADS, leases, (from, to) -> {
            for (int i = from; i < to; i++) {
                held.add(leasehold.lock(Requests.name(i)).tryAcquire().orElseThrow());
            }
        });
        return held;
    }

    private static Map<String, Quantity> watch(Duration length, Map<String, LongSupplier> meters) {
        Map<String, Long> before = new LinkedHashMap<>();
        long start = Time.system().nanos();
        meters.forEach((process, meter) -> before.put(process, meter.getAsLong()));
        pause(length);
        Map<String, Quantity> loads = new LinkedHashMap<>();
        double elapsed = Time.system().nanos() - start;
        meters.forEach((process, meter) -> {
            long used = meter.getAsLong() - before.getOrDefault(process, 0L);
            loads.put(process, new Quantity(100 * used / elapsed, Quantity.Unit.PERCENT_OF_A_CORE));
        });
        return loads;
    }

    private static void pause(Duration length) {
        long end = Time.system().nanos() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - Time.system().nanos()) {
            LockSupport.parkNanos(left);
        }
    }
}
