// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Renewal;

import java.util.concurrent.CompletionStage;

/** Waits for a store's answers and insists that they are the ones expected. */
final class Answers {

    private Answers() {}

    static Grant granted(CompletionStage<Acquisition> answer) {
        return granted(answer.toCompletableFuture().join());
    }

    static Grant granted(Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw unexpected(answer);
    }

    static Acquisition.Held held(CompletionStage<Acquisition> answer) {
        Acquisition given = answer.toCompletableFuture().join();
        if (given instanceof Acquisition.Held held) {
            return held;
        }
        throw unexpected(given);
    }

    static Renewal.Renewed renewed(CompletionStage<Renewal> answer) {
        Renewal given = answer.toCompletableFuture().join();
        if (given instanceof Renewal.Renewed renewed) {
            return renewed;
        }
        throw unexpected(given);
    }

    static Ending.Ended ended(CompletionStage<Ending> answer) {
        Ending given = answer.toCompletableFuture().join();
        if (given instanceof Ending.Ended ended) {
            return ended;
        }
        throw unexpected(given);
    }

    private static IllegalStateException unexpected(Object answer) {
        return new IllegalStateException("the store answered " + answer);
    }
}
