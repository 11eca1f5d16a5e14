// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The leases of a store, read page by page.
 *
 * @param leases in token order
 * @param more whether there may be more
 */
record Listing(List<LeaseView> leases, boolean more) {

    private static final int PAGE = 100;

    static Listing read(LeaseStore store, Optional<Scope> overlapping, boolean held, int limit) {
        List<LeaseView> leases = new ArrayList<>();
        Optional<FencingToken> after = Optional.empty();
        while (true) {
            LeasePage page = Answers.await(store.list(new LeaseQuery(overlapping, after, PAGE)));
            for (LeaseView view : page.leases()) {
                if (held && view.state() != LeaseView.State.HELD) {
                    continue;
                }
                if (leases.size() == limit) {
                    return new Listing(leases, true);
                }
                leases.add(view);
            }
            if (!page.more() || page.leases().isEmpty()) {
                return new Listing(leases, false);
            }
            after = Optional.of(
                    page.leases().get(page.leases().size() - 1).holding().token());
        }
    }
}
