// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Group commit by hand, and nothing else: callers queue and wait, one thread takes all who are
 * there, writes a record for each by one write, forces, and lets them go.
 */
final class GroupCommit implements AutoCloseable {

    private final BlockingQueue<CompletableFuture<Boolean>> waiting = new LinkedBlockingQueue<>();
    private final RecordFile file;
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong forces = new AtomicLong();

    GroupCommit(Path path) {
        file = new RecordFile(path);
        Thread writer = new Thread(this::write, "group-commit");
        writer.setDaemon(true);
        writer.start();
    }

    /** Returns when a record is on disk. */
    void commit() {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        waiting.add(done);
        boolean unused = done.join();
    }

    private void write() {
        List<CompletableFuture<Boolean>> batch = new ArrayList<>();
        try {
            while (!end.isDone()) {
                batch.clear();
                batch.add(waiting.take());
                waiting.drainTo(batch);
                file.append(batch.size());
                records.addAndGet(batch.size());
                forces.incrementAndGet();
                batch.forEach(done -> done.complete(true));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts it", e);
        }
    }

    /** How many records a force has served up to now. */
    double batchSize() {
        return records.doubleValue() / Math.max(1, forces.get());
    }

    @Override
    public void close() {
        waiting.add(end);
        boolean unused = end.join();
        file.close();
    }
}
