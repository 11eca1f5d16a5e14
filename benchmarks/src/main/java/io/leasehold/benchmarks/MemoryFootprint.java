// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.memory.MemoryLeaseStore;

import java.io.PrintStream;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The heap that each live lease takes, its name included, beside a bare map entry under the same name. */
final class MemoryFootprint {

    private static final int GOAL_BYTES = 400; // the summit is 200

    private MemoryFootprint() {}

    static List<Row> run(Effort effort, PrintStream progress) {
        int leases = effort.sizes().idle();
        progress.printf("  %d leases%n", leases);
        Quantity lease = weigh(leases, () -> storeWith(leases));
        progress.printf("  %d map entries%n", leases);
        Quantity entry = weigh(leases, () -> mapWith(leases));
        return List.of(
                Row.of(Suite.FOOTPRINT, "heap per idle lease of " + leases, lease)
                        .atMost(GOAL_BYTES),
                Row.of(Suite.FOOTPRINT, "the same, as a multiple", lease)
                        .beside("bare map entry", entry));
    }

    private static Quantity weigh(int count, Supplier<Object> made) {
        long before = usedHeap();
        Object kept = made.get();
        try {
            return new Quantity((double) (usedHeap() - before) / count, Quantity.Unit.BYTES);
        } finally {
            Reference.reachabilityFence(kept);
        }
    }

    private static MemoryLeaseStore storeWith(int leases) {
        MemoryLeaseStore store = MemoryLeaseStore.create();
        Requests requests = Requests.of(1, Requests.LONG_TTL);
        for (int i = 0; i < leases; i++) {
            Answers.granted(store.acquire(requests.next(Requests.named(i))));
        }
        return store;
    }

    private static ConcurrentHashMap<String, Object> mapWith(int entries) {
        ConcurrentHashMap<String, Object> map = new ConcurrentHashMap<>();
        for (int i = 0; i < entries; i++) {
            map.put(Requests.name(i), new Object());
        }
        return map;
    }

    private static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
