// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;

import java.util.concurrent.TimeUnit;

/**
 * The one thread of a store: it reads, writes, and completes the answers. All that a store knows of
 * its connection belongs to this thread, which is why there are no locks. Thread-safe.
 */
final class Loop {

    private static final long CLOSING_MILLIS = 2_000;

    // its successor is not in the Netty 4.1 of the gRPC that Spring Boot 4.1.0 manages
    @SuppressWarnings("deprecation")
    private final EventLoopGroup group = new NioEventLoopGroup(1, task -> {
        Thread thread = new Thread(task, "leasehold-remote");
        thread.setDaemon(true);
        return thread;
    });

    private final EventLoop loop = group.next();

    /** For connections. */
    EventLoopGroup group() {
        return group;
    }

    boolean isThisThread() {
        return loop.inEventLoop();
    }

    /** Has the thread do it after what it is doing now; false if it has ended. */
    boolean later(Runnable task) {
        if (loop.isShutdown()) {
            return false;
        }
        try {
            loop.execute(task);
            return true;
        } catch (java.util.concurrent.RejectedExecutionException e) {
            return false;
        }
    }

    /** Does it at once if this is the thread, else has the thread do it. */
    void run(Runnable task) {
        if (isThisThread()) {
            task.run();
        } else {
            boolean unused = later(task);
        }
    }

    /** Ends the thread when it has done what it was given; waits for that unless called by it. */
    void close() {
        group.shutdownGracefully(0, CLOSING_MILLIS, TimeUnit.MILLISECONDS);
        if (!isThisThread()) {
            boolean unused = group.terminationFuture().awaitUninterruptibly(CLOSING_MILLIS);
        }
    }
}
