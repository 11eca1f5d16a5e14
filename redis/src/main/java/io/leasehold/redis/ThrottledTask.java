// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A task that runs at most once at a time, and again only after a pause. It can be tried again
 * whatever happens: also if no thread can be started for it, or if it ends with an error.
 */
final class ThrottledTask {

    private static final System.Logger LOG = System.getLogger(ThrottledTask.class.getName());

    private final ThreadFactory threads;
    private final Time time;
    private final Duration pause;
    private final Runnable task;
    private final AtomicBoolean busy = new AtomicBoolean(); // it runs, or has run just now

    ThrottledTask(ThreadFactory threads, Time time, Duration pause, Runnable task) {
        this.threads = threads;
        this.time = time;
        this.pause = pause;
        this.task = task;
    }

    /** Makes daemon threads of this name. */
    static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Runs it in a new thread, unless it runs or has run just now. */
    void start() {
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            threads.newThread(this::runThenPause).start();
        } catch (RuntimeException | Error e) { // unable to create native thread
            LOG.log(System.Logger.Level.WARNING, "no thread can be had; it is tried again", e);
            pause();
        }
    }

    /** Runs it in the calling thread. */
    void runHere() {
        busy.set(true);
        runThenPause();
    }

    private void runThenPause() {
        try {
            task.run();
        } finally {
            pause();
        }
    }

    private void pause() {
        time.schedule(pause, () -> busy.set(false));
    }
}
