// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What is held when a {@link Leasehold} closes.
 *
 * @param idle no body runs under these: to be released now
 * @param running bodies run under these: kept until they return
 */
record Handover(List<HeldLease> idle, List<Running> running) {

    /**
     * A lease under which a body runs.
     *
     * @param own whether the body is what closes, and can't be waited for
     * @param over completes when the lease was given back or lost
     */
    record Running(HeldLease lease, boolean own, CompletableFuture<Boolean> over) {}

    /** Completes when all that others run is over. */
    CompletableFuture<?> others() {
        return allOf(running.stream().filter(each -> !each.own).toList());
    }

    /** Completes when everything is over. */
    CompletableFuture<?> all() {
        return allOf(running);
    }

    private static CompletableFuture<?> allOf(List<Running> some) {
        return CompletableFuture.allOf(
                some.stream().map(Running::over).toArray(CompletableFuture<?>[]::new));
    }
}
