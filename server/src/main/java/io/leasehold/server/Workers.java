// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.common.util.EventLoopGroups;

import io.netty.channel.EventLoopGroup;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The server's threads: event loops, and a few that may block while they open stores. */
final class Workers implements Executor {

    private static final int OPENERS = 4;

    private final EventLoopGroup loops = EventLoopGroups.newEventLoopGroup(
            Math.max(2, Runtime.getRuntime().availableProcessors()), "leasehold-server", true);
    private final AtomicInteger last = new AtomicInteger();
    private final ThreadPoolExecutor openers = new ThreadPoolExecutor(
            OPENERS, OPENERS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::thread);

    Workers() {
        openers.allowCoreThreadTimeOut(true);
    }

    private Thread thread(Runnable task) {
        Thread thread = new Thread(task, "leasehold-opener-" + last.incrementAndGet());
        thread.setDaemon(true);
        return thread;
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
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
