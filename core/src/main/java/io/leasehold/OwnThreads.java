// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Time;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The machine's time with a timer thread of one's own, so that nobody else's work can hold up a
 * renewal, a few threads for callbacks, a few more for losses, which no other callback may hold up,
 * and as many as are needed for the user's work. All start when needed, and all but the timer's
 * leave when idle. All are daemons.
 */
final class OwnThreads implements Time, AutoCloseable {

    private static final int CALLBACK_THREADS = 4;
    static final int MAX_WORKERS = 1_000;
    private static final long IDLE_SECONDS = 1;

    private final TimerThread timers = new TimerThread("leasehold-renewer");
    private final ThreadPoolExecutor callbacks = few("leasehold-callback");
    private final ThreadPoolExecutor losses = few("leasehold-loss");
    private final ThreadPoolExecutor listener = threads(1, "leasehold-listener");
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            0,
            MAX_WORKERS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(), // work never waits for work: one may need the other
            daemons("leasehold-worker"));

    private static ThreadPoolExecutor few(String name) {
        return threads(CALLBACK_THREADS, name);
    }

    private static ThreadPoolExecutor threads(int count, String name) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                count,
                count,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), // bounded by those who tell
                daemons(name));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    Environment environment() {
        return new Environment(this, task -> tell(callbacks, task), new SecureRandom());
    }

    /** Where losses are told. */
    Executor losses() {
        return task -> tell(losses, task);
    }

    /** Where the listener is told what belongs to no call of the user's. */
    Executor listener() {
        return listener;
    }

    /**
     * Where the user's work runs. Refuses when there are a thousand at work: nothing may queue
     * here, or work that waits for other work could wait for ever.
     */
    Executor workers() {
        return workers;
    }

    private static void tell(Executor threads, Runnable task) {
        try {
            threads.execute(task);
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
        return timers.schedule(delay, task);
    }

    @Override
    public void close() {
        workers.shutdown(); // what is being worked on ends by itself
        callbacks.shutdown(); // what is queued is still told; don't wait, a callback may close us
        losses.shutdown();
        listener.shutdown();
        timers.close();
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
