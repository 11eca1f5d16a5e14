// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a table held at one moment, given out piece by piece so that its driver need not hold the
 * table up for all of it: references are copied at once, entries made later, each under the lock.
 * An entry shows its lease as it is by then; one that has ended meanwhile is left out. The changes
 * that the table told of since the copy was made bring it up to date, see {@link TableEntry}.
 */
public final class TableCopy {

    private final List<TimerHeap.Timed> ends;
    private final List<RetryMemory.Copy> memories;
    private int nextEnd;
    private int memory;
    private int nextRemembered;

    private TableCopy(List<TimerHeap.Timed> ends, List<RetryMemory.Copy> memories) {
        this.ends = ends;
        this.memories = memories;
    }

    static TableCopy of(List<Stripe> stripes, KnownIds ids) {
        List<TimerHeap.Timed> ends = new ArrayList<>(
                stripes.stream().mapToInt(stripe -> stripe.ends.size()).sum());
        stripes.forEach(stripe -> stripe.ends.forEach(ends::add));
        return new TableCopy(ends, ids.copies().toList());
    }

    /** How many entries there are at most, those that were read included. */
    public int size() {
        return ends.size() + memories.stream().mapToInt(RetryMemory.Copy::size).sum();
    }

    /**
     * Passes on the next entries.
     *
     * @return whether there may be more
     */
    public boolean read(int atMost, Consumer<TableEntry> action) {
        for (int i = 0; i < atMost; i++) {
            if (nextEnd < ends.size()) {
                pass(ends.get(nextEnd++), action);
            } else if (memory == memories.size()) {
                return false;
            } else if (nextRemembered < memories.get(memory).size()) {
                action.accept(memories.get(memory).entry(nextRemembered++));
            } else {
                memory++;
                nextRemembered = 0;
            }
        }
        return true;
    }

    private static void pass(TimerHeap.Timed end, Consumer<TableEntry> action) {
        if (end.slot() == TimerHeap.NOWHERE) {
            return; // it is over
        }
        if (end instanceof LiveLease lease) {
            action.accept(lease.entry());
        } else if (end instanceof KeptRecord kept) {
            action.accept(kept.entry());
        }
    }
}
