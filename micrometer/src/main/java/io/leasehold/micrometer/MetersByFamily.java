// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** The meters of each family, for a bounded number of families. Thread-safe. */
final class MetersByFamily<M> {

    private final Map<String, M> known = new ConcurrentHashMap<>();
    private final Function<String, M> create;
    private final int max;
    private final ReentrantLock lock = new ReentrantLock(); // guards additions to known
    private final M other;

    MetersByFamily(int max, Function<String, M> create) {
        this.max = max;
        this.create = create;
        this.other = create.apply(MeterOptions.OTHER);
    }

    M of(String family) {
        M meters = known.get(family);
        return meters == null ? made(family) : meters;
    }

    private M made(String family) {
        if (known.size() >= max) {
            return other; // without a lock: a flood of names must not make callers wait
        }
        lock.lock();
        try {
            return known.size() >= max
                    ? known.getOrDefault(family, other)
                    : known.computeIfAbsent(family, create);
        } finally {
            lock.unlock();
        }
    }
}
