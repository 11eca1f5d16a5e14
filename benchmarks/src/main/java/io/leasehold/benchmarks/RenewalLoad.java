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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** The processor time of this whole process while one client keeps many leases of 30 s alive, engine included. */
final class RenewalLoad {

    private static final int GOAL_PERCENT = 10;
    private static final int THREADS = 64;

    private RenewalLoad() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        try (MemoryLeaseStore store = MemoryLeaseStore.create()) {
            return List.of(measure(Suite.RENEWAL, store, effort, progress));
        }
    }

    static Row measure(Suite suite, LeaseStore store, Effort effort, PrintStream progress) {
        int leases = effort.sizes().renewed();
        try (Leasehold leasehold = Leasehold.on(store)) {
            progress.printf("  acquiring %d leases%n", leases);
            Queue<Lease> held = acquire(leasehold, leases);
            Duration settling =
                    effort.renewal().dividedBy(2); // the first renewals compile the code
            progress.printf(
                    "  settling for %s, then watching for %s%n", settling, effort.renewal());
            pause(settling);
            Quantity load = watch(effort.renewal());
            held.forEach(Lease::ensureValid);
            return Row.of(suite, "renewing " + leases + " leases of 30 s", load)
                    .atMost(GOAL_PERCENT);
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

    private static Quantity watch(Duration length) {
        OperatingSystemMXBean system =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long start = Time.system().nanos();
        long used = system.getProcessCpuTime();
        pause(length);
        used = system.getProcessCpuTime() - used;
        long elapsed = Time.system().nanos() - start;
        return new Quantity(100.0 * used / elapsed, Quantity.Unit.PERCENT_OF_A_CORE);
    }

    private static void pause(Duration length) {
        long end = Time.system().nanos() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - Time.system().nanos()) {
            LockSupport.parkNanos(left);
        }
    }
}
