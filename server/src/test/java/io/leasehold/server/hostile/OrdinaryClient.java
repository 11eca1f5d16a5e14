// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.spi.LeaseStore;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A client that only wants its lock, over and over, while others misbehave. */
final class OrdinaryClient implements AutoCloseable {

    private final Leasehold leasehold;
    private final CompletableFuture<Void> end;
    private final Semaphore turns = new Semaphore(0);
    private volatile boolean stopped;

    private OrdinaryClient(LeaseStore store) {
        this.leasehold = Leasehold.on(store);
        this.end = Threads.run("ordinary-client", this::work);
    }

    static OrdinaryClient of(LeaseStore store) {
        return new OrdinaryClient(store);
    }

    private void work() {
        while (!stopped) {
            try (Lease lease = leasehold.lock("ordinary").acquire(Duration.ofSeconds(30))) {
                lease.ensureValid();
                turns.release();
            }
        }
    }

    /** Waits until it has had its lock once more. It fails as soon as it is not served. */
    void awaitTurn() {
        turns.drainPermits();
        while (!tryTurn()) {
            if (end.isDone()) {
                end.join();
            }
        }
    }

    private boolean tryTurn() {
        try {
            return turns.tryAcquire(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        stopped = true;
        end.join();
        leasehold.close();
    }
}
