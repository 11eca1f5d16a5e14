// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import com.sun.management.OperatingSystemMXBean;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.Time;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The processor time of this whole process while one client keeps many leases of 30 s alive, engine included. */
final class RenewalLoad {

    private static final int GOAL_PERCENT = 10;

    private RenewalLoad() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        int leases = effort.sizes().renewed();
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            progress.printf("  acquiring %d leases%n", leases);
            List<Lease> held = acquire(leasehold, leases);
            Duration settling =
                    effort.renewal().dividedBy(2); // the first renewals compile the code
            progress.printf(
                    "  settling for %s, then watching for %s%n", settling, effort.renewal());
            pause(settling);
            Quantity load = watch(effort.renewal());
            held.forEach(Lease::ensureValid);
            return List.of(Row.of(Suite.RENEWAL, "renewing " + leases + " leases of 30 s", load)
                    .atMost(GOAL_PERCENT));
        }
    }

    private static List<Lease> acquire(Leasehold leasehold, int leases) {
        List<Lease> held = new ArrayList<>(leases);
        for (int i = 0; i < leases; i++) {
            held.add(leasehold.lock(Requests.name(i)).tryAcquire().orElseThrow());
        }
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
