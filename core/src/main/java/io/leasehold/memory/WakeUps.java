// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.spi.Time;
import io.leasehold.table.LeaseTable;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * At most one timer for each stripe, and one for all together, set only while someone waits there.
 * Each entry is guarded by the lock or locks of what it is for.
 */
final class WakeUps {

    private final Time time;
    private final IntConsumer wakeUp;
    private final long[] dueAt = new long[StripeLocks.COUNT + 1];
    private final Time.@Nullable Timer[] timers = new Time.@Nullable Timer[StripeLocks.COUNT + 1];

    /**
     * Calls back, without any lock, with the stripe or {@link LeaseTable#ALL} when a timer is due.
     */
    WakeUps(Time time, IntConsumer wakeUp) {
        this.time = time;
        this.wakeUp = wakeUp;
        Arrays.fill(dueAt, LeaseTable.NEVER);
    }

    /** Sees to it that there is a wake-up by the given time, and none when nobody waits. */
    void set(int stripe, long due, long now) {
        int slot = slot(stripe);
        if (due == dueAt[slot] || (due > dueAt[slot] && due != LeaseTable.NEVER)) {
            return; // an early one finds out and sets the next
        }
        cancel(slot);
        if (due != LeaseTable.NEVER) {
            dueAt[slot] = due;
            timers[slot] = time.schedule(Duration.ofNanos(due - now), () -> wakeUp.accept(stripe));
        }
    }

    /** Notes that the timer of the stripe has fired. */
    void fired(int stripe) {
        cancel(slot(stripe));
    }

    void cancelAll() {
        for (int slot = 0; slot < timers.length; slot++) {
            cancel(slot);
        }
    }

    private void cancel(int slot) {
        Time.Timer timer = timers[slot];
        if (timer != null) {
            timer.cancel();
        }
        timers[slot] = null;
        dueAt[slot] = LeaseTable.NEVER;
    }

    private static int slot(int stripe) {
        return stripe == LeaseTable.ALL ? StripeLocks.COUNT : stripe;
    }
}
