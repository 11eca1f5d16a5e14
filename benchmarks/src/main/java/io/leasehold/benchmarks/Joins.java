// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.Flight;
import io.leasehold.SingleFlight;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;

/** Joining callers of one key: ours, or a future in a map made by hand. */
sealed interface Joins {

    /** The key that everybody wants. */
    String HOT = "hot";

    /** What the work takes. */
    interface Work {

        String run() throws InterruptedException;
    }

    /** Waits for the work of whoever was first. */
    String get(Work work);

    /** A future of one's own for the work of whoever was first. */
    CompletableFuture<?> getAsync(Work work);

    /** The product. */
    record Product(SingleFlight<String> flights) implements Joins {

        @Override
        public String get(Work work) {
            Flight<String> flight = flights.get(HOT, token -> work.run());
            return flight.value();
        }

        @Override
        public CompletableFuture<?> getAsync(Work work) {
            return flights.getAsync(HOT, token -> work.run());
        }
    }

    /**
     * By hand, for this process only: the first one's future stands in a map until it is complete;
     * everybody else waits for it, or for a dependent of it, so that one who gives up leaves the
     * others alone. No lease, no token, nobody else's work.
     */
    record ByHand(ConcurrentHashMap<String, CompletableFuture<String>> map, ExecutorService workers)
            implements Joins {

        @Override
        public String get(Work work) {
            CompletableFuture<String> mine = new CompletableFuture<>();
            CompletableFuture<String> other = map.putIfAbsent(HOT, mine);
            if (other != null) {
                return other.join();
            }
            land(mine, work);
            return mine.join();
        }

        @Override
        public CompletableFuture<?> getAsync(Work work) {
            return map.computeIfAbsent(HOT, key -> takeOff(work)).thenApply(value -> value);
        }

        private CompletableFuture<String> takeOff(Work work) {
            CompletableFuture<String> mine = new CompletableFuture<>();
            workers.execute(() -> land(mine, work));
            return mine;
        }

        private void land(CompletableFuture<String> mine, Work work) {
            try {
                String value = work.run();
                map.remove(HOT, mine);
                mine.complete(value);
            } catch (InterruptedException e) {
                map.remove(HOT, mine);
                mine.completeExceptionally(e);
            }
        }
    }
}
