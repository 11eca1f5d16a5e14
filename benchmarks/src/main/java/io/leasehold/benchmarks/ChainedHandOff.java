// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.model.Claim;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A hand-off through a store's SPI without threads: each grant's dependent releases it and queues again. All of it
 * runs on the calling thread, inside the first release.
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
        Round round = new Round(Time.system().nanos() + length.toNanos());
        for (int i = 0; i < waiters; i++) {
            queue(round);
        }
        round.releasedAt = Time.system().nanos();
        Answers.ended(store.release(first));
        if (round.failure != null) {
            throw new IllegalStateException("the chain broke", round.failure);
        }
        return round.latencies;
    }

    private void queue(Round round) {
        CompletableFuture<Acquisition> answer =
                store.acquire(requests.next(claim)).toCompletableFuture();
        answer.thenApply(Answers::granted)
                .thenAccept(grant -> pass(grant, round))
                .exceptionally(failure -> {
                    round.failure = failure;
                    return null;
                });
    }

    private void pass(Grant grant, Round round) {
        round.latencies.add(Time.system().nanos() - round.releasedAt);
        round.releasedAt = Time.system().nanos();
        Answers.ended(store.release(grant));
        if (round.releasedAt - round.end < 0) {
            queue(round);
        }
    }

    /** Used by one thread at a time. */
    private static final class Round {

        private final Latencies latencies = new Latencies();
        private final long end;
        private long releasedAt;
        private @Nullable Throwable failure;

        Round(long end) {
            this.end = end;
        }
    }
}
