// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lease ids of a table, whatever their scopes: those that a lease or a waiter has, and those that
 * are over and remembered. An id belongs to one request, so it can't be looked for in one stripe only.
 *
 * <p>Thread-safe. An id that is given up is remembered first, so that at no time it looks unused.
 */
final class KnownIds {

    /** What has an id. Asked by any thread. */
    interface Owner {
        /** Whether it ran out, though its stripe may not have noticed yet. */
        boolean isOver(long now);
    }

    private static final Owner NO_LEASE_YET = now -> false;

    /** A part of the ends, by id. */
    private static final class Part {
        private final ReentrantLock lock = new ReentrantLock(); // guards memory
        private final RetryMemory memory;

        Part(RetryMemory.Shared shared) {
            memory = new RetryMemory(shared);
        }
    }

    private final Map<LeaseId, Owner> inUse = new ConcurrentHashMap<>();
    private final List<Part> parts;

    /**
     * None.
     *
     * @param parts how many threads may ask at once, a power of two
     */
    KnownIds(int parts, RetryMemory.Shared shared) {
        this.parts = IntStream.range(0, parts).mapToObj(i -> new Part(shared)).toList();
    }

    /** Takes the id for a request; false if a lease or a waiter has it. */
    boolean take(LeaseId id) {
        return inUse.putIfAbsent(id, NO_LEASE_YET) == null;
    }

    /** Notes that a lease has the id, whether or not it was taken before. */
    void use(LeaseId id, Owner lease) {
        inUse.put(id, lease);
    }

    /** Whether a lease has the id that ran out. */
    boolean isOver(LeaseId id, long now) {
        Owner owner = inUse.get(id);
        return owner != null && owner.isOver(now);
    }

    /** Gives up what was taken; not if a lease has it by now, as one that was restored while it waited. */
    void giveUp(LeaseId id) {
        inUse.remove(id, NO_LEASE_YET);
    }

    /** Notes that the lease does not have the id any more. */
    void giveUp(LeaseId id, Owner lease) {
        inUse.remove(id, lease);
    }

    int inUse() {
        return inUse.size();
    }

    void remember(LeaseId id, Outcome outcome, long now) {
        Part part = partOf(id);
        part.lock.lock();
        try {
            part.memory.remember(id, outcome, now);
        } finally {
            part.lock.unlock();
        }
    }

    /** How what had the id ended, if that is remembered. */
    @Nullable
    Outcome recall(LeaseId id, long now) {
        Part part = partOf(id);
        part.lock.lock();
        try {
            return part.memory.recall(id, now);
        } finally {
            part.lock.unlock();
        }
    }

    /** Whether the operation that ends a lease so was done before: then it succeeded. */
    boolean isRepeat(LeaseId id, Outcome outcome, long now) {
        Outcome remembered = recall(id, now);
        return remembered != null && outcome.repeats(remembered);
    }

    /** What is remembered, as it is now. */
    Stream<RetryMemory.Copy> copies() {
        return parts.stream().map(part -> {
            part.lock.lock();
            try {
                return part.memory.copy();
            } finally {
                part.lock.unlock();
            }
        });
    }

    private Part partOf(LeaseId id) {
        long bits = id.high() ^ id.low();
        return parts.get((int) (bits ^ bits >>> 32) & parts.size() - 1);
    }
}
