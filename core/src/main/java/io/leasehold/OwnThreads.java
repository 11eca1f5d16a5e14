// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Time;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The machine's time with a timer thread of one's own, so that nobody else's work can hold up a
 * renewal, a few threads for callbacks, and as many as are needed for the user's work; the latter
 * two start when needed and leave when idle. All are daemons.
 */
final class OwnThreads implements Time, AutoCloseable {

    private static final int CALLBACK_THREADS = 4;
    static final int MAX_WORKERS = 1_000;
    private static final long IDLE_SECONDS = 1;
    private static final long CLOSE_SECONDS = 1;

    private final ScheduledThreadPoolExecutor timers =
            new ScheduledThreadPoolExecutor(1, daemons("leasehold-renewer"));
    private final ThreadPoolExecutor callbacks = new ThreadPoolExecutor(
            CALLBACK_THREADS,
            CALLBACK_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // bounded by the leases and acquires it tells about
            daemons("leasehold-callback"));
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            0,
            MAX_WORKERS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(), // work never waits for work: one may need the other
            daemons("leasehold-worker"));

    OwnThreads() {
        timers.setRemoveOnCancelPolicy(true);
        callbacks.allowCoreThreadTimeOut(true);
    }

    Environment environment() {
        return new Environment(this, this::callBack, new SecureRandom());
    }

    /**
     * Where the user's work runs. Refuses when there are a thousand at work: nothing may queue
     * here, or work that waits for other work could wait for ever.
     */
    Executor workers() {
        return workers;
    }

    private void callBack(Runnable task) {
        try {
            callbacks.execute(task);
        } catch (RejectedExecutionException e) {
            task.run(); // closed meanwhile: late news is told by whoever brings it
        }
    }

    @Override
    public long nanos() {
        return Time.system().nanos();
    }

    @Override
    public long wallMillis() {
        return Time.system().wallMillis();
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> scheduled =
                    timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        } catch (RejectedExecutionException e) {
            return Time.system().schedule(delay, task); // closed, but somebody still waits
        }
    }

    @Override
    public void close() {
        timers.shutdown(); // a timer that is still set has somebody waiting for it
        workers.shutdown(); // what is being worked on ends by itself
        callbacks.shutdown(); // what is queued is still told; don't wait, a callback may close us
        try {
            boolean unused = timers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger count = new AtomicInteger();
        ThreadFactory plain = Executors.defaultThreadFactory();
        return task -> {
            Thread thread = plain.newThread(task);
            thread.setName(name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
