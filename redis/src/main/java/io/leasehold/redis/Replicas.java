// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have what was written. The connection does nothing else meanwhile, so one
 * wait is under way at most, and all who come during it share the next: what they want to be sure of
 * was written before that begins.
 */
final class Replicas {

    private final Supplier<CompletionStage<Long>> count;
    // guards what follows
    private final ReentrantLock lock = new ReentrantLock();
    private boolean underWay;
    private @Nullable CompletableFuture<Long> next;

    /**
     * Made of a way to wait once.
     *
     * @param count waits, and completes with how many replicas have all that was written before
     */
    Replicas(Supplier<CompletionStage<Long>> count) {
        this.count = count;
    }

    /** Completes with how many replicas have all that was written before. */
    CompletionStage<Long> confirm() {
        CompletableFuture<Long> mine;
        lock.lock();
        try {
            mine = next == null ? new CompletableFuture<>() : next;
            next = mine;
        } finally {
            lock.unlock();
        }
        begin();
        return mine;
    }

    private void begin() {
        CompletableFuture<Long> wait;
        lock.lock();
        try {
            if (underWay || next == null) {
                return;
            }
            underWay = true;
            wait = next;
            next = null;
        } finally {
            lock.unlock();
        }
        count.get().whenComplete((replicas, error) -> {
            // first the answers, so that what they lead to is sent before the next wait
            if (error == null) {
                wait.complete(replicas);
            } else {
                wait.completeExceptionally(error);
            }
            lock.lock();
            try {
                underWay = false;
            } finally {
                lock.unlock();
            }
            begin();
        });
    }
}
