// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One command with the answers of both sides, as far as they have come. */
final class Exchange {

    final Command command;
    final int step;
    private final CompletableFuture<?> storeStage;
    private final long sentAt;
    private @Nullable Object expected;
    private long decidedAt;

    /** Whether it was still open when a later command was sent. */
    boolean late;

    Exchange(Command command, int step, long sentAt, CompletionStage<?> storeStage) {
        this.command = command;
        this.step = step;
        this.sentAt = sentAt;
        this.storeStage = storeStage.toCompletableFuture();
    }

    /** Notes what the table answered, and when. */
    void expect(Object answer, long now) {
        expected = answer;
        decidedAt = now;
    }

    long sentAt() {
        return sentAt;
    }

    boolean isDecided() {
        return expected != null;
    }

    boolean isAnswered() {
        return storeStage.isDone();
    }

    /** What the table answered. */
    Object expected() {
        if (expected == null) {
            throw new AssertionError("the table has not answered yet");
        }
        return expected;
    }

    /** When the table answered. */
    long decidedAt() {
        return decidedAt;
    }

    /** What the store answered: a value, the exception it failed with, or a word for no answer in time. */
    Object actual(long patienceNanos) {
        try {
            return storeStage.get(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return cause instanceof CompletionException && cause.getCause() != null
                    ? cause.getCause()
                    : orSelf(e);
        } catch (TimeoutException e) {
            return "no answer";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "no answer: interrupted";
        }
    }

    private static Object orSelf(ExecutionException e) {
        return e.getCause() == null ? e : e.getCause();
    }
}
