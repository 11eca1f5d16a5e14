// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * At most one timer, for a driver that wants to be woken when {@link LeaseTable#wakeAt} says. The
 * thread of the timers, which others need too, does nothing but wake the driver's own. Not
 * thread-safe: guard it by the lock of what it is for.
 */
public final class Alarm {

    private static final System.Logger LOG = System.getLogger(Alarm.class.getName());
    private static final Duration ANOTHER_TRY = Duration.ofMillis(100);

    private final Time time;
    private final Executor driver;
    private final Runnable wakeUp;
    private final AtomicBoolean waking = new AtomicBoolean(); // the driver is to wake up
    private long dueAt = LeaseTable.NEVER;
    private Time.@Nullable Timer timer;

    /**
     * One that calls back on a thread of the driver's and without any lock; say {@link #cancel} then,
     * under the lock.
     */
    public Alarm(Time time, Executor driver, Runnable wakeUp) {
        this.time = time;
        this.driver = driver;
        this.wakeUp = wakeUp;
    }

    /** Sees to it that it goes off by the given time, and not at all when that is never. */
    public void set(long due, long now) {
        if (due == dueAt || (due > dueAt && due != LeaseTable.NEVER)) {
            return; // an early one finds out and sets the next
        }
        cancel();
        if (due != LeaseTable.NEVER) {
            timer = time.schedule(Duration.ofNanos(due - now), this::goOff);
            dueAt = due; // not before: it may be that no timer can be had
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

    private void goOff() {
        if (!waking.compareAndSet(false, true)) {
            return; // the driver is slow to wake up, and once is enough
        }
        try {
            driver.execute(() -> {
                waking.set(false);
                wakeUp.run();
            });
        } catch (OutOfMemoryError e) { // unable to create native thread; nobody may wait in vain
            LOG.log(System.Logger.Level.WARNING, "no thread can be had to wake a store", e);
            waking.set(false);
            Time.Timer unused = time.schedule(ANOTHER_TRY, this::goOff);
        }
    }
}
