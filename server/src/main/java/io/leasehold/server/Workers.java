// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.common.util.EventLoopGroups;

import io.netty.channel.EventLoopGroup;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The server's threads: event loops, a few that may block while they open stores, a few that read
 * stores for listings, and one for the small files beside them.
 */
final class Workers implements Executor {

    private static final int OPENERS = 4;
    private static final int READERS = 2;
    private static final int FILE_TASKS = 1_000;
    private static final int ADMINISTRATION_TASKS = 100;
    private static final Duration FILE_PATIENCE = Duration.ofSeconds(10);

    private final EventLoopGroup loops = EventLoopGroups.newEventLoopGroup(
            Math.max(2, Runtime.getRuntime().availableProcessors()), "leasehold-server", true);
    private final AtomicInteger last = new AtomicInteger();
    private final ThreadPoolExecutor openers = pool(OPENERS, "leasehold-opener-");
    private final ThreadPoolExecutor readers = pool(READERS, "leasehold-reader-");
    private final ThreadPoolExecutor files =
            pool(1, "leasehold-files-", new LinkedBlockingQueue<>(FILE_TASKS));
    private final ThreadPoolExecutor administration =
            pool(1, "leasehold-administration-", new LinkedBlockingQueue<>(ADMINISTRATION_TASKS));

    private ThreadPoolExecutor pool(int threads, String name) {
        return pool(threads, name, new LinkedBlockingQueue<>());
    }

    private ThreadPoolExecutor pool(int threads, String name, BlockingQueue<Runnable> waiting) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 10, TimeUnit.SECONDS, waiting, task -> {
                    Thread thread = new Thread(task, name + last.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Writes the audit log, in order. Rejects what comes while 1,000 lines wait. */
    Executor files() {
        return files;
    }

    /**
     * Reads and writes the token file. Rejects what comes while 100 tasks wait. Callers who fill the
     * audit log can't keep it from revoking them.
     */
    Executor administration() {
        return administration;
    }

    /** Must not be blocked. */
    EventLoopGroup loops() {
        return loops;
    }

    /** Of stores: listings take long, and event loops are for those who hold leases. */
    Executor readers() {
        return readers;
    }

    /** Runs a task that may block. */
    @Override
    public void execute(Runnable task) {
        openers.execute(task);
    }

    /** Returns when the lines of the audit log that wait are written, or a disk takes too long. */
    void close() {
        openers.shutdown();
        administration.shutdown();
        files.shutdown();
        readers.shutdown();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        try {
            boolean unused =
                    files.awaitTermination(FILE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
