// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what a store answers. */
final class Answers {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private Answers() {}

    static <T> T await(CompletionStage<T> answer) {
        return await(answer, PATIENCE);
    }

    /** The answer; what it failed with is thrown as it is if it is one of the library's own. */
    static <T> T await(CompletionStage<T> answer, Duration patience) {
        try {
            return answer.toCompletableFuture().get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw new OutcomeUnknownException("the store failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new OutcomeUnknownException("the store does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OutcomeUnknownException("interrupted", e);
        }
    }
}
