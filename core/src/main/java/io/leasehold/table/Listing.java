// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.TokenCheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Builds a page of the listing. A query by scope asks the index of that scope's stripe; a query for all
 * goes through everything, which is for people, who ask seldom.
 */
final class Listing {

    private final Stripes stripes;
    private final LeaseQuery query;
    private final long now;
    private final TreeMap<Long, LeaseView> page = new TreeMap<>(); // by token
    private boolean more;

    private Listing(Stripes stripes, LeaseQuery query, long now) {
        this.stripes = stripes;
        this.query = query;
        this.now = now;
    }

    static LeasePage of(Stripes stripes, LeaseQuery query, long now) {
        Listing listing = new Listing(stripes, query, now);
        if (query.overlapping().isPresent()) {
            Scope scope = query.overlapping().get();
            stripes.index(scope).forEachOverlapping(scope, listing::add);
        } else {
            for (Stripe stripe : stripes.touchedFrom(LeaseTable.ALL)) {
                stripe.index.all().forEach(listing::add);
            }
        }
        return new LeasePage(new ArrayList<>(listing.page.values()), listing.more);
    }

    /** How a token stands among all that overlaps the scope. Builds no rows, so it is quick. */
    static TokenCheck check(Stripes stripes, Scope scope, FencingToken token, long now) {
        TokenCheck.Search search = new TokenCheck.Search(scope, token);
        stripes.index(scope).forEachOverlapping(scope, node -> {
            for (LiveLease lease : node.holders()) {
                if (lease.isHeld(now)) {
                    search.held(lease.token, lease.claim);
                } else {
                    search.inLockDelay(lease.token, lease.claim);
                }
            }
            KeptRecord kept = node.kept;
            if (kept != null) {
                search.left(kept.holding.token().value());
            }
        });
        return search.result();
    }

    private void add(ScopeNode node) {
        for (LiveLease lease : node.holders()) {
            offer(lease.token, () -> view(lease));
        }
        KeptRecord kept = node.kept;
        if (kept != null) {
            offer(kept.holding.token().value(), () -> view(kept));
        }
    }

    /**
     * Takes the row if it belongs on the page: a token of its own, behind the page before, among
     * the lowest.
     */
    private void offer(long token, Supplier<LeaseView> row) {
        boolean wanted = query.after().isEmpty() || token > query.after().get().value();
        if (!wanted || page.containsKey(token)) {
            return;
        }
        if (page.size() == query.limit()) {
            more = true;
            if (token > page.lastKey()) {
                return;
            }
            page.pollLastEntry();
        }
        page.put(token, row.get());
    }

    private LeaseView view(LiveLease lease) {
        Set<Waiter> waiters = new HashSet<>(); // one may queue for several of the scopes
        for (Scope scope : lease.claim.scopes()) {
            WaitQueue queue = stripes.index(scope).existing(scope).queue;
            if (queue != null) {
                waiters.addAll(queue.waiters());
            }
        }
        return new LeaseView(
                lease.holding(),
                lease.isHeld(now) ? LeaseView.State.HELD : LeaseView.State.LOCK_DELAY,
                Duration.ofNanos(now - lease.grantedAt()),
                lease.remaining(now),
                waiters.size(),
                lease.record());
    }

    private LeaseView view(KeptRecord kept) {
        return new LeaseView(
                kept.holding,
                LeaseView.State.COMPLETED,
                Duration.ofNanos(now - kept.completedAt),
                kept.answer(now).keptFor(),
                0,
                Optional.of(kept.record));
    }
}
