// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The waiters at one scope by their sequence number, which is the order of arrival over the whole
 * table.
 */
final class WaitQueue {

    private final TreeMap<Long, Waiter> all = new TreeMap<>();
    private final TreeMap<Long, Waiter> exclusive = new TreeMap<>();

    void add(Waiter waiter) {
        all.put(waiter.sequence, waiter);
        if (waiter.isExclusive()) {
            exclusive.put(waiter.sequence, waiter);
        }
    }

    /** Removes the waiter and says whether the queue is empty now. */
    boolean remove(Waiter waiter) {
        all.remove(waiter.sequence);
        exclusive.remove(waiter.sequence);
        return all.isEmpty();
    }

    int size() {
        return all.size();
    }

    Collection<Waiter> waiters() {
        return all.values();
    }

    /** The first waiter behind the given place. */
    @Nullable
    Waiter after(long sequence) {
        Map.Entry<Long, Waiter> next = all.higherEntry(sequence);
        return next == null ? null : next.getValue();
    }

    /** Someone who waits before the given place and excludes a waiter there. */
    @Nullable
    Waiter ahead(long sequence, boolean byAnyone) {
        Map.Entry<Long, Waiter> first = (byAnyone ? all : exclusive).firstEntry();
        return first == null || first.getKey() >= sequence ? null : first.getValue();
    }
}
