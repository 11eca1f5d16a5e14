// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Limits how many calls of one kind run at the same time. Each kind has its own limit, so that
 * acquires never keep renewals and releases out.
 */
final class Load {

    private final String what;
    private final int most;
    private final BiFunction<CallId, Throwable, CallFailedException> failures;
    private final AtomicInteger underWay = new AtomicInteger();

    Load(String what, int most, BiFunction<CallId, Throwable, CallFailedException> failures) {
        this.what = what;
        this.most = most;
        this.failures = failures;
    }

    /** Carries a call out, unless there are too many, and writes its answer. */
    <A, R> CompletionStage<R> carry(
            CallId id, Supplier<? extends CompletionStage<A>> call, Function<? super A, R> write) {
        if (underWay.incrementAndGet() > most) {
            underWay.decrementAndGet();
            return CompletableFuture.failedFuture(Failures.limit(
                    what, most, most + " " + what + ", which is the most: try again later"));
        }
        CompletionStage<A> asked;
        try {
            asked = call.get();
        } catch (RuntimeException | Error e) {
            underWay.decrementAndGet();
            return CompletableFuture.failedFuture(Failures.before(id, e));
        }
        CompletableFuture<R> reply = new CompletableFuture<>();
        CompletionStage<A> unused = asked.whenComplete((answer, failure) -> {
            underWay.decrementAndGet();
            if (failure != null) {
                reply.completeExceptionally(failures.apply(id, failure));
                return;
            }
            try {
                reply.complete(write.apply(answer));
            } catch (RuntimeException | Error e) {
                reply.completeExceptionally(failures.apply(id, e));
            }
        });
        return reply;
    }

    int underWay() {
        return underWay.get();
    }
}
