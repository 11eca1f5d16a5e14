// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.LeaseId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The acquires that have no answer yet. A repeat of one joins it and is not sent: nothing is lost on
 * a stream that lives, and when the stream ends every open question fails, so that the next repeat
 * is sent on the next stream.
 *
 * <p>Thread-safe.
 */
final class OpenAcquires {

    private final ConcurrentHashMap<LeaseId, OpenAcquire> open = new ConcurrentHashMap<>();

    /** Joins the open question, or sends the request if there is none that would do. */
    CompletableFuture<Acquisition> ask(
            LeaseRequest request, long now, Supplier<CompletableFuture<Acquisition>> send) {
        CompletableFuture<Acquisition> answer = new CompletableFuture<>();
        OpenAcquire fresh = new OpenAcquire(request, now);
        OpenAcquire asked = open.compute(request.id(), (id, known) -> {
            OpenAcquire joined = known != null && known.takes(request, now) ? known : fresh;
            joined.join(now, answer);
            return joined;
        });
        asked.makeRoom();
        if (asked == fresh) {
            CompletableFuture<Acquisition> unused = sent(send).whenComplete((came, failure) -> {
                open.remove(request.id(), fresh);
                fresh.answer(came, failure);
            });
        }
        return answer;
    }

    private static CompletableFuture<Acquisition> sent(
            Supplier<CompletableFuture<Acquisition>> send) {
        try {
            return send.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
