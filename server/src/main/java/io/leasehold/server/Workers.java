// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.common.util.EventLoopGroups;

import io.netty.channel.EventLoopGroup;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server's threads: event loops, a few that may block while they open stores, and one for the
 * small files beside them.
 */
final class Workers implements Executor {

    private static final int OPENERS = 4;
    private static final int FILE_TASKS = 1_000;

    private final EventLoopGroup loops = EventLoopGroups.newEventLoopGroup(
            Math.max(2, Runtime.getRuntime().availableProcessors()), "leasehold-server", true);
    private final AtomicInteger last = new AtomicInteger();
    private final ThreadPoolExecutor openers = new ThreadPoolExecutor(
            OPENERS, OPENERS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);

    private final ThreadPoolExecutor files = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(FILE_TASKS),
            task -> daemon(task, "leasehold-files"));

    Workers() {
        openers.allowCoreThreadTimeOut(true);
        files.allowCoreThreadTimeOut(true);
    }

    private Thread thread(Runnable task) {
        return daemon(task, "leasehold-opener-" + last.incrementAndGet());
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Reads and writes the token file and the audit log, in order. Rejects what comes while 1,000
     * tasks wait.
     */
    Executor files() {
        return files;
    }

    /** Must not be blocked. */
    EventLoopGroup loops() {
        return loops;
    }

    /** Runs a task that may block. */
    @Override
    public void execute(Runnable task) {
        openers.execute(task);
    }

    void close() {
        openers.shutdown();
        files.shutdown();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
