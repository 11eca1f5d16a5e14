// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A time whose timers run on a thread of a store's. The thread of the timers, which others need too,
 * does nothing but hand over.
 */
final class StoreTime implements Time {

    private static final System.Logger LOG = System.getLogger(StoreTime.class.getName());
    private static final Duration ANOTHER_TRY = Duration.ofMillis(100);

    private final Time time;
    private final Executor thread;

    StoreTime(Time time, Executor thread) {
        this.time = time;
        this.thread = thread;
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public long wallMillis() {
        return time.wallMillis();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        AtomicBoolean over = new AtomicBoolean(); // has begun, or was cancelled
        Timer timer = time.schedule(delay, () -> handOver(task, over));
        return () -> {
            over.set(true);
            timer.cancel();
        };
    }

    private void handOver(Runnable task, AtomicBoolean over) {
        try {
            thread.execute(() -> {
                if (over.compareAndSet(false, true)) {
                    task.run();
                }
            });
        } catch (OutOfMemoryError e) { // unable to create native thread; nobody may wait in vain
            LOG.log(System.Logger.Level.WARNING, "no thread can be had for a store's timer", e);
            Timer unused = time.schedule(ANOTHER_TRY, () -> handOver(task, over));
        }
    }
}
