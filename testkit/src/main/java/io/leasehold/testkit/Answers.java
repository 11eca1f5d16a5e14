// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what a store answers, within reason. */
final class Answers {

    private static final long PATIENCE_SECONDS = 10;

    private Answers() {}

    /** The answer; what the stage failed with is thrown as it is. */
    static <T> T of(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("no answer within " + PATIENCE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for an answer", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException reason) {
                throw reason;
            }
            throw new AssertionError("the store failed in a way that no store may", e.getCause());
        }
    }
}
