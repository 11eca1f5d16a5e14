// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Time;
import io.leasehold.table.StoreThread;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Two daemon threads for each store, and a third while there are alarms. Each of them may be the one
 * that closes the store; it does not wait for its own end.
 */
final class OwnThreads implements Surroundings.Threads {

    private static final int MAX_TASKS = 16; // there are never more than four

    private final WriterThread writer;
    private final ThreadPoolExecutor housekeeper;
    private final Executor alarms;
    private volatile @Nullable Thread housekeeping;
    private volatile boolean closed;

    OwnThreads(Path directory, Time time) {
        String name = name(directory);
        alarms = StoreThread.on(time, name + "-alarms");
        writer = new WriterThread(name);
        housekeeper = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_TASKS),
                task -> {
                    Thread thread = new Thread(task, name + "-housekeeper");
                    thread.setDaemon(true);
                    housekeeping = thread;
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
    }

    /** What the threads of a store in this directory are called, and how their names begin. */
    static String name(Path directory) {
        return "leasehold-journal-" + directory.getFileName();
    }

    @Override
    public Executor writer() {
        return writer;
    }

    @Override
    public Executor housekeeper() {
        return task -> housekeeper.execute(() -> {
            if (!closed) {
                task.run();
            }
        });
    }

    @Override
    public Executor alarms() {
        return alarms;
    }

    /** Does not wait for the thread of the alarms, which uses nothing that is closed, and leaves. */
    @Override
    public void close() {
        writer.close();
        closed = true; // what waits runs through; a worker may wait for ever for what is taken away
        housekeeper.shutdown();
        boolean interrupted = false;
        while (!housekeeper.isTerminated() && Thread.currentThread() != housekeeping) {
            try {
                boolean unused = housekeeper.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
