// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A call on its way to the server and back. After it was asked it belongs to the store's thread. */
final class Question<T> {

    private final Call.Builder call;
    private final int bytes;
    private final boolean acquires;
    private final Duration wait;
    private final Function<Answer, T> reading;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private long giveUpAt;
    private long sentAt;

    private Question(
            Call.Builder call, boolean acquires, Duration wait, Function<Answer, T> reading) {
        this.call = call;
        this.bytes = call.build().getSerializedSize();
        this.acquires = acquires;
        this.wait = wait;
        this.reading = reading;
    }

    /** An acquire, which the server may answer as late as at the end of its wait. */
    static <T> Question<T> acquire(Call.Builder call, Duration wait, Function<Answer, T> reading) {
        return new Question<>(call, true, wait, reading);
    }

    /** Anything else. It goes before acquires. */
    static <T> Question<T> of(Call.Builder call, Function<Answer, T> reading) {
        return new Question<>(call, false, Duration.ZERO, reading);
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    boolean acquires() {
        return acquires;
    }

    int bytes() {
        return bytes;
    }

    /** What was asked for, if it is an acquire. */
    AcquireRequest acquire() {
        return call.getAcquire();
    }

    void askedAt(long now, Duration patience) {
        giveUpAt = now + wait.toNanos() + patience.toNanos();
    }

    boolean isOverdue(long now) {
        return now - giveUpAt >= 0;
    }

    /** The call as it is sent now, under a number of its own. */
    Call sent(long id, long now) {
        sentAt = now;
        return call.setId(id).build();
    }

    long sentAt() {
        return sentAt;
    }

    void answered(Answer message) {
        if (message.hasFailure()) {
            fail(Failures.of(message.getFailure()));
            return;
        }
        T read;
        try {
            read = reading.apply(message);
        } catch (RuntimeException | Error e) {
            fail(new OutcomeUnknownException("the server answered what can't be read", e));
            return;
        }
        answer.complete(read);
    }

    void fail(LeaseholdException reason) {
        answer.completeExceptionally(reason);
    }
}
