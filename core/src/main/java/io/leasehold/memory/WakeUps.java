// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.spi.Time;
import io.leasehold.table.Alarm;
import io.leasehold.table.LeaseTable;

import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * At most one timer for each stripe, and one for all together, set only while someone waits there.
 * Each entry is guarded by the lock or locks of what it is for.
 */
final class WakeUps {

    private final Alarm[] alarms;

    /**
     * Calls back with the stripe or {@link LeaseTable#ALL} when a timer is due, on the given thread
     * and without any lock.
     */
    WakeUps(Time time, Executor thread, IntConsumer wakeUp) {
        this.alarms = IntStream.rangeClosed(0, StripeLocks.COUNT)
                .mapToObj(slot -> new Alarm(time, thread, () -> wakeUp.accept(stripe(slot))))
                .toArray(Alarm[]::new);
    }

    /** Sees to it that there is a wake-up by the given time, and none when nobody waits. */
    void set(int stripe, long due, long now) {
        alarms[slot(stripe)].set(due, now);
    }

    /** Notes that the timer of the stripe has fired. */
    void fired(int stripe) {
        alarms[slot(stripe)].cancel();
    }

    void cancelAll() {
        for (Alarm alarm : alarms) {
            alarm.cancel();
        }
    }

    private static int slot(int stripe) {
        return stripe == LeaseTable.ALL ? StripeLocks.COUNT : stripe;
    }

    private static int stripe(int slot) {
        return slot == StripeLocks.COUNT ? LeaseTable.ALL : slot;
    }
}
