// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The leases that are over, remembered for a while so that a late repeat of a request is recognised: as long as the
 * window lasts, and never more than the capacity, the latest ones.
 *
 * <p>Every lease passes through here when it ends, so it is kept small and flat: a ring of entries in the order of their
 * ends, four longs each, and an open-addressed index of entry numbers into it. Grows with use, up to the capacity.
 */
final class RetryMemory {

    /** One that is over; the token is 0 where none was drawn. */
    record Ended(End end, long token) {}

    private static final End[] ENDS = End.values();
    private static final int NONE = -1;
    private static final int FIELDS = 4; // id's high and low bits, time, token with how it ended
    private static final int TIME = 2;
    private static final int OUTCOME = 3;
    private static final int INITIAL = 16;

    private final long window;
    private final int capacity;
    private long[] ring = new long[INITIAL * FIELDS];
    private int[] index = new int[INITIAL * 2]; // entry number + 1, or 0
    private int first;
    private int size;

    RetryMemory(long window, int capacity) {
        this.window = window;
        this.capacity = capacity;
    }

    @SuppressWarnings("EnumOrdinal") // it never leaves this object
    void remember(LeaseId id, End end, long token, long now) {
        int known = find(id);
        if (known != NONE) {
            takeOut(known); // to be remembered as the latest
        }
        while (size > 0 && (size >= capacity || isOver(first, now))) {
            dropFirst();
        }
        if (size == ring.length / FIELDS) {
            grow();
        }
        int entry = entryAt(size++);
        ring[entry * FIELDS] = id.high();
        ring[entry * FIELDS + 1] = id.low();
        ring[entry * FIELDS + TIME] = now;
        ring[entry * FIELDS + OUTCOME] = token * ENDS.length + end.ordinal();
        enter(entry);
    }

    @Nullable
    Ended recall(LeaseId id, long now) {
        int entry = find(id);
        if (entry == NONE || isOver(entry, now)) {
            return null;
        }
        return ended(ring[entry * FIELDS + OUTCOME]);
    }

    /** Whether the lease ended this way under this token: the caller repeats what it did. */
    boolean isRepeat(LeaseId id, End end, long token, long now) {
        return new Ended(end, token).equals(recall(id, now));
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
            Ended ended = ended(entries[at + OUTCOME]);
            LeaseId id = new LeaseId(entries[at], entries[at + 1]);
            return new TableEntry.Ended(
                    id, Optional.empty(), ended.end, ended.token, entries[at + TIME]);
        }
    }

    private static Ended ended(long outcome) {
        return new Ended(ENDS[(int) (outcome % ENDS.length)], outcome / ENDS.length);
    }

    private boolean isOver(int entry, long now) {
        return now - ring[entry * FIELDS + TIME] >= window;
    }

    // ---- the ring

    private int entryAt(int position) {
        return (first + position) & ring.length / FIELDS - 1;
    }

    private void dropFirst() {
        remove(first);
        first = entryAt(1);
        size--;
    }

    /** Closes the gap in the ring. Slow, and seldom needed: an id is used once. */
    private void takeOut(int entry) {
        for (int position = entry - first & ring.length / FIELDS - 1;
                position + 1 < size;
                position++) {
            System.arraycopy(
                    ring, entryAt(position + 1) * FIELDS, ring, entryAt(position) * FIELDS, FIELDS);
        }
        size--;
        reindex(index.length);
    }

    private void grow() {
        long[] larger = new long[ring.length * 2];
        int head = ring.length - first * FIELDS;
        System.arraycopy(ring, first * FIELDS, larger, 0, head);
        System.arraycopy(ring, 0, larger, head, first * FIELDS);
        ring = larger;
        first = 0;
        reindex(index.length * 2);
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
