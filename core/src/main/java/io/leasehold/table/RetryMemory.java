// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseId;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Remembers a part of the leases that are over, so that a late repeat of a request is recognised:
 * as long as the window lasts, and only the latest ones of the table, as many as its capacity.
 *
 * <p>The capacity belongs to all parts together. They are under different locks and can't drop each
 * other's entries. So they count their ends together and number the entries: an entry is forgotten,
 * wherever it is, once as many ends as the capacity have come after it. A part frees the room of
 * such entries when its next lease ends.
 *
 * <p>Every lease passes through here when it ends, so it is kept small and flat: a ring of entries
 * in the order of their ends, six longs each, and an open-addressed index of entry numbers into
 * it. Grows and shrinks with use.
 */
final class RetryMemory {

    /**
     * What the parts of a table's memory have in common.
     *
     * @param window for how long an end is remembered
     * @param capacity how many ends are remembered, the latest ones of all parts
     * @param ends how many there were so far
     */
    record Shared(long window, int capacity, AtomicLong ends) {

        Shared(long window, int capacity) {
            this(window, capacity, new AtomicLong());
        }
    }

    private static final End[] ENDS = End.values();
    private static final int NONE = -1;
    private static final int FIELDS = 6; // id's high and low bits, time, token with how it ended
    private static final int TIME = 2;
    private static final int OUTCOME = 3;
    private static final int NUMBER = 4; // among the ends of all parts
    private static final int DIGEST = 5; // of what a completion left
    private static final int INITIAL = 16;
    private static final int DROPPED_AT_ONCE = 8; // so that nobody waits for a long list to go

    private final Shared shared;
    private long[] ring = new long[INITIAL * FIELDS];
    private int[] index = new int[INITIAL * 2]; // entry number + 1, or 0
    private int first;
    private int size;

    RetryMemory(Shared shared) {
        this.shared = shared;
    }

    @SuppressWarnings("EnumOrdinal") // it never leaves this object
    void remember(LeaseId id, Outcome outcome, long now) {
        int known = find(id);
        if (known != NONE) {
            takeOut(known); // to be remembered as the latest
        }
        long number = shared.ends.incrementAndGet();
        for (int i = 0; i < DROPPED_AT_ONCE && size > 0 && isOver(first, now); i++) {
            dropFirst();
        }
        if (size == room()) {
            resize(room() * 2);
        } else if (size < room() / 8 && room() > INITIAL) {
            resize(room() / 2);
        }
        int entry = entryAt(size++);
        ring[entry * FIELDS] = id.high();
        ring[entry * FIELDS + 1] = id.low();
        ring[entry * FIELDS + TIME] = now;
        ring[entry * FIELDS + OUTCOME] =
                outcome.token() * ENDS.length + outcome.end().ordinal();
        ring[entry * FIELDS + NUMBER] = number;
        ring[entry * FIELDS + DIGEST] = outcome.digest();
        enter(entry);
    }

    @Nullable
    Outcome recall(LeaseId id, long now) {
        int entry = find(id);
        if (entry == NONE || isOver(entry, now)) {
            return null;
        }
        return outcome(ring, entry * FIELDS);
    }

    /** All that is remembered, the oldest first, as it is now. */
    Copy copy() {
        long[] entries = new long[size * FIELDS];
        for (int position = 0; position < size; position++) {
            System.arraycopy(ring, entryAt(position) * FIELDS, entries, position * FIELDS, FIELDS);
        }
        return new Copy(entries);
    }

    /** What was remembered at some time. */
    static final class Copy {

        private final long[] entries;

        private Copy(long[] entries) {
            this.entries = entries;
        }

        int size() {
            return entries.length / FIELDS;
        }

        TableEntry.Ended entry(int position) {
            int at = position * FIELDS;
            LeaseId id = new LeaseId(entries[at], entries[at + 1]);
            return new TableEntry.Ended(
                    id, Optional.empty(), outcome(entries, at), entries[at + TIME]);
        }
    }

    private static Outcome outcome(long[] entries, int at) {
        long outcome = entries[at + OUTCOME];
        return new Outcome(
                ENDS[(int) (outcome % ENDS.length)], outcome / ENDS.length, entries[at + DIGEST]);
    }

    private boolean isOver(int entry, long now) {
        return now - ring[entry * FIELDS + TIME] >= shared.window
                || shared.ends.get() - ring[entry * FIELDS + NUMBER] >= shared.capacity;
    }

    // ---- the ring

    /** How many entries the ring has room for, a power of two. */
    int room() {
        return ring.length / FIELDS;
    }

    private int entryAt(int position) {
        return (first + position) & room() - 1;
    }

    private void dropFirst() {
        remove(first);
        first = entryAt(1);
        size--;
    }

    /** Closes the gap in the ring. Slow, and seldom needed: an id is used once. */
    private void takeOut(int entry) {
        for (int position = entry - first & room() - 1; position + 1 < size; position++) {
            System.arraycopy(
                    ring, entryAt(position + 1) * FIELDS, ring, entryAt(position) * FIELDS, FIELDS);
        }
        size--;
        reindex(index.length);
    }

    private void resize(int room) {
        ring = Arrays.copyOf(copy().entries, room * FIELDS);
        first = 0;
        reindex(room * 2);
    }

    // ---- the index: linear probing

    private void reindex(int length) {
        index = new int[length];
        for (int position = 0; position < size; position++) {
            enter(entryAt(position));
        }
    }

    private int find(LeaseId id) {
        for (int slot = home(id.high(), id.low()); index[slot] != 0; slot = after(slot)) {
            int entry = index[slot] - 1;
            if (id.equals(new LeaseId(ring[entry * FIELDS], ring[entry * FIELDS + 1]))) {
                return entry;
            }
        }
        return NONE;
    }

    private void enter(int entry) {
        int slot = homeOf(entry);
        while (index[slot] != 0) {
            slot = after(slot);
        }
        index[slot] = entry + 1;
    }

    /** Takes the entry out and moves up those behind it that it had pushed away from their homes. */
    private void remove(int entry) {
        int hole = homeOf(entry);
        while (index[hole] != entry + 1) {
            hole = after(hole);
        }
        for (int slot = after(hole); index[slot] != 0; slot = after(slot)) {
            int distance = slot - homeOf(index[slot] - 1) & index.length - 1;
            if (distance >= (slot - hole & index.length - 1)) {
                index[hole] = index[slot];
                hole = slot;
            }
        }
        index[hole] = 0;
    }

    private int homeOf(int entry) {
        return home(ring[entry * FIELDS], ring[entry * FIELDS + 1]);
    }

    private int home(long high, long low) {
        long mixed = (high ^ Long.rotateLeft(low, 32)) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & index.length - 1;
    }

    private int after(int slot) {
        return slot + 1 & index.length - 1;
    }
}
