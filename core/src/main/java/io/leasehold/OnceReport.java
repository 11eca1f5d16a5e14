// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.listener.IdempotentCallEnded;
import io.leasehold.listener.IdempotentCallEnded.Outcome;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.WorkFailedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the listener is told of one idempotent call. */
final class OnceReport {

    private final Client client;
    private final String family;
    private final OnceCall<?> call;
    private final long begunAt;

    OnceReport(Client client, String family, OnceCall<?> call) {
        this.client = client;
        this.family = family;
        this.call = call;
        this.begunAt = client.time.nanos();
    }

    /** The call returns to the user's thread, which is this one. */
    void returned(io.leasehold.Outcome<?> outcome) {
        client.listener.now(listener -> listener.onIdempotentCall(event(success(outcome))));
    }

    /** The call throws on the user's thread, which is this one. */
    void threw(Throwable error) {
        client.listener.now(listener -> listener.onIdempotentCall(event(failure(error))));
    }

    /** The call ended in the background. */
    void ended(io.leasehold.@Nullable Outcome<?> outcome, @Nullable Throwable error) {
        if (client.listener.isPresent()) {
            IdempotentCallEnded event = event(
                    outcome != null ? success(outcome) : failure(Client.unwrapped(cause(error))));
            client.listener.later(listener -> listener.onIdempotentCall(event));
        }
    }

    private static Throwable cause(@Nullable Throwable error) {
        return error == null ? new AssertionError("neither outcome nor error") : error;
    }

    private IdempotentCallEnded event(Outcome outcome) {
        Duration took = Duration.ofNanos(client.time.nanos() - begunAt);
        return new IdempotentCallEnded(family, outcome, took);
    }

    private static Outcome success(io.leasehold.Outcome<?> outcome) {
        return outcome.replayed() ? Outcome.REPLAYED : Outcome.RAN;
    }

    private Outcome failure(Throwable error) {
        if (call.workThrew()) {
            return Outcome.THREW;
        } else if (error instanceof WorkFailedException) {
            return Outcome.REPLAYED;
        } else if (error instanceof IdempotencyConflictException) {
            return Outcome.CONFLICT;
        } else if (error instanceof InProgressException) {
            return Outcome.IN_PROGRESS;
        } else if (error instanceof LeaseLostException) {
            return Outcome.LOST;
        }
        return error instanceof NotSharedException ? Outcome.NOT_SHARED : Outcome.FAILED;
    }
}
