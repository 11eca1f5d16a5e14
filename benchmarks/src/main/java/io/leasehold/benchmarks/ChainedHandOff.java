// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.model.Claim;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A hand-off through a store's SPI without threads of its own: each grant's dependent releases it and queues again. It
 * begins inside the first release and goes on where the store delivers its answers, on one thread at a time.
 */
final class ChainedHandOff implements HandOff {

    private final LeaseStore store;
    private final Claim claim;
    private final Requests requests = Requests.waiting(1);

    ChainedHandOff(LeaseStore store, Claim claim) {
        this.store = store;
        this.claim = claim;
    }

    @Override
    public Latencies run(int waiters, Duration length) {
        Grant first = Answers.granted(store.acquire(requests.next(claim)));
        Round round = new Round(waiters, Time.system().nanos() + length.toNanos());
        for (int i = 0; i < waiters; i++) {
            queue(round);
        }
        round.releasedAt = Time.system().nanos();
        Answers.ended(store.release(first));
        try {
            round.over.join();
        } catch (CompletionException e) {
            throw new IllegalStateException("the chain broke", e.getCause());
        }
        return round.latencies;
    }

    private void queue(Round round) {
        CompletableFuture<Acquisition> answer =
                store.acquire(requests.next(claim)).toCompletableFuture();
        answer.thenApply(Answers::granted)
                .thenAccept(grant -> pass(grant, round))
                .exceptionally(failure -> {
                    round.over.completeExceptionally(failure);
                    return null;
                });
    }

    private void pass(Grant grant, Round round) {
        round.latencies.add(Time.system().nanos() - round.releasedAt);
        round.releasedAt = Time.system().nanos();
        Answers.ended(store.release(grant));
        if (round.releasedAt - round.end < 0) {
            queue(round);
        } else if (--round.left == 0) {
            round.over.complete(true);
        }
    }

    /** Used by one thread at a time. */
    private static final class Round {

        private final Latencies latencies = new Latencies();
        private final CompletableFuture<Boolean> over = new CompletableFuture<>();
        private final long end;
        private long releasedAt;
        private int left; // of those that queue

        Round(int waiters, long end) {
            this.left = waiters;
            this.end = end;
        }
    }
}
