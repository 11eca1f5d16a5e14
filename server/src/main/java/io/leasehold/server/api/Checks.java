// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.server.access.Principal;
import io.leasehold.spi.LeaseStore;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Asks stores whether a token holds a scope, for resources that are shown a token but no lease. Each
 * principal has a quarter of the reads for its checks, so that it keeps out nobody else; whoever is
 * "anyone" has all of them. Stores are asked on threads for readers. Thread-safe.
 */
final class Checks {

    private final int most;
    private final Executor readers;
    /** The checks under way of each principal that has some. */
    private final ConcurrentHashMap<String, Integer> underWay = new ConcurrentHashMap<>();

    Checks(OperationsOptions.Reads bounds, Executor readers) {
        this.most = Math.max(1, bounds.underWay() / 4);
        this.readers = readers;
    }

    /**
     * Carries out a check on a thread for readers.
     *
     * @throws CallFailedException LIMIT_EXCEEDED if too many of the principal are under way
     */
    <T> CompletionStage<T> carry(Principal principal, Supplier<CompletionStage<T>> check) {
        begin(principal);
        try {
            return CompletableFuture.supplyAsync(check, readers)
                    .thenCompose(reply -> reply)
                    .whenComplete((reply, failure) -> end(principal));
        } catch (RuntimeException e) { // the server has stopped
            end(principal);
            throw e;
        }
    }

    private void begin(Principal principal) {
        underWay.compute(principal.name(), (name, known) -> {
            int before = known == null ? 0 : known;
            if (!principal.isAnyone() && before >= most) {
                throw Failures.limit(
                        "checks per principal",
                        most,
                        name + " has " + before
                                + " checks under way, which is the most; wait for some of them");
            }
            return before + 1;
        });
    }

    private void end(Principal principal) {
        underWay.computeIfPresent(principal.name(), (name, known) -> known == 1 ? null : known - 1);
    }

    static CompletionStage<CheckReply> check(LeaseStore store, Scope scope, FencingToken token) {
        return store.check(scope, token)
                .thenApply(check -> CheckReply.newBuilder()
                        .setStanding(
                                CheckReply.Standing.valueOf(check.standing().name()))
                        .setNewest(check.newest())
                        .build());
    }
}
