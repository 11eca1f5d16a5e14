// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * At most one timer, for a driver that wants to be woken when {@link LeaseTable#wakeAt} says. Not
 * thread-safe: guard it by the lock of what it is for.
 */
public final class Alarm {

    private final Time time;
    private final Runnable wakeUp;
    private long dueAt = LeaseTable.NEVER;
    private Time.@Nullable Timer timer;

    /** Calls back, without any lock, when it goes off; say {@link #cancel} then, under the lock. */
    public Alarm(Time time, Runnable wakeUp) {
        this.time = time;
        this.wakeUp = wakeUp;
    }

    /** Sees to it that it goes off by the given time, and not at all when that is never. */
    public void set(long due, long now) {
        if (due == dueAt || (due > dueAt && due != LeaseTable.NEVER)) {
            return; // an early one finds out and sets the next
        }
        cancel();
        if (due != LeaseTable.NEVER) {
            dueAt = due;
            timer = time.schedule(Duration.ofNanos(due - now), wakeUp);
        }
    }

    /** Keeps it from going off, or notes that it has. */
    public void cancel() {
        if (timer != null) {
            timer.cancel();
        }
        timer = null;
        dueAt = LeaseTable.NEVER;
    }
}
