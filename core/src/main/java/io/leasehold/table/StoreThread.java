// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.Time;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Makes the threads on which a store tells its events and acts on its alarms. */
public final class StoreThread {

    private static final long IDLE_SECONDS =
            2; // longer than the second between two ticks of a journal

    private StoreThread() {}

    /**
     * Runs tasks one after the other on a daemon thread of this name, which is there while there are
     * any and two seconds longer. Its queue is as bounded as what its users ask for.
     */
    public static Executor named(String name) {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(null, task, name, 0, false);
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    /**
     * On the machine's time, such a thread. On another, whoever calls runs the task: whoever owns
     * the time owns the order of what happens in it.
     */
    public static Executor on(Time time, String name) {
        return isMachines(time) ? named(name) : Runnable::run;
    }

    /**
     * The machine's time with timers that run on such a thread; another time as it is. For a store
     * whose timers decide, send or answer: the thread of the machine's timers, on which every
     * time-out in the process depends, does nothing but wake this one.
     */
    public static Time timers(Time time, String name) {
        return isMachines(time) ? new StoreTime(Time.system(), named(name)) : time;
    }

    static boolean isMachines(Time time) {
        return time == Time.system() || time instanceof StoreTime;
    }
}
