// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Looks for leases in a store that keep others out. */
final class HeldLeases {

    private static final int MOST_PAGES = 16;

    private HeldLeases() {}

    /** Whether there are none; false also if there are too many records to look through. */
    static CompletionStage<Boolean> noneIn(LeaseStore store) {
        return noneIn(store, LeaseQuery.all(), 1);
    }

    private static CompletionStage<Boolean> noneIn(LeaseStore store, LeaseQuery query, int number) {
        return store.list(query).thenCompose(page -> {
            if (isAnyHeld(page) || (page.more() && number == MOST_PAGES)) {
                return CompletableFuture.completedStage(false);
            }
            List<LeaseView> rows = page.leases();
            return page.more() && !rows.isEmpty()
                    ? noneIn(
                            store,
                            query.after(rows.get(rows.size() - 1).holding().token()),
                            number + 1)
                    : CompletableFuture.completedStage(true);
        });
    }

    private static boolean isAnyHeld(LeasePage page) {
        return page.leases().stream().anyMatch(view -> view.state() != LeaseView.State.COMPLETED);
    }
}
