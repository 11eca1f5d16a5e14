// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.quorum.Votes.Vote;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes one listing of the members'. Listed is what a majority lists under the same token; what is
 * only just being acquired, or was left somewhere by an attempt that failed, is not.
 */
final class Pages {

    private static final int SPARE_ROWS = 64;

    private final Members members;

    Pages(Members members) {
        this.members = members;
    }

    CompletableFuture<LeasePage> of(LeaseQuery query) {
        return from(query, query.after());
    }

    /** Goes on until something is found or nothing is left: an empty page can't be continued. */
    private CompletableFuture<LeasePage> from(LeaseQuery query, Optional<FencingToken> after) {
        LeaseQuery wider = new LeaseQuery(
                query.overlapping(),
                after,
                Math.min(LeaseQuery.MAX_LIMIT, query.limit() + SPARE_ROWS));
        Ballot<LeasePage, List<Vote<LeasePage>>> ballot =
                new Ballot<>(members, Pages::enough, (decision, vote) -> {});
        return ballot.ask(members.joined(), members.patience(), (node, member) -> node.list(wider))
                .thenCompose(pages -> {
                    long horizon = horizon(pages);
                    LeasePage page = merge(query, pages, horizon);
                    return page.leases().isEmpty() && page.more()
                            ? from(query, Optional.of(new FencingToken(horizon)))
                            : CompletableFuture.completedFuture(page);
                });
    }

    /** All that answer in time; a majority must. */
    private static @Nullable List<Vote<LeasePage>> enough(Votes<LeasePage> votes) {
        if (!votes.isComplete()) {
            return null;
        }
        if (votes.all().size() < votes.majority()) {
            throw votes.noMajority("listing");
        }
        return votes.all();
    }

    /** Up to which token all pages reach. */
    private static long horizon(List<Vote<LeasePage>> pages) {
        long horizon = FencingToken.MAX_VALUE;
        for (Vote<LeasePage> vote : pages) {
            List<LeaseView> rows = vote.answer().leases();
            if (vote.answer().more() && !rows.isEmpty()) {
                horizon = Math.min(
                        horizon, rows.get(rows.size() - 1).holding().token().value());
            }
        }
        return horizon;
    }

    private LeasePage merge(LeaseQuery query, List<Vote<LeasePage>> pages, long horizon) {
        Map<Long, List<LeaseView>> byToken = new TreeMap<>();
        for (Vote<LeasePage> vote : pages) {
            for (LeaseView row : vote.answer().leases()) {
                long token = row.holding().token().value();
                if (token <= horizon) {
                    byToken.computeIfAbsent(token, none -> new ArrayList<>()).add(row);
                }
            }
        }
        List<LeaseView> rows = new ArrayList<>();
        boolean more = horizon < FencingToken.MAX_VALUE;
        for (List<LeaseView> same : byToken.values()) {
            List<LeaseView> agreed = agreed(same);
            if (agreed.size() >= members.majority()) {
                if (rows.size() == query.limit()) {
                    more = true;
                    break;
                }
                rows.add(one(agreed));
            }
        }
        return new LeasePage(rows, more);
    }

    /** Those of the rows that are in the state in which a majority is. */
    private List<LeaseView> agreed(List<LeaseView> rows) {
        for (LeaseView.State state : LeaseView.State.values()) {
            List<LeaseView> same =
                    rows.stream().filter(row -> row.state() == state).toList();
            if (same.size() >= members.majority()) {
                return same;
            }
        }
        return List.of();
    }

    /** As the first member has it, with everyone who waits anywhere. */
    private static LeaseView one(List<LeaseView> rows) {
        LeaseView first = rows.get(0);
        int waiters = 0;
        for (LeaseView row : rows) {
            waiters = Math.max(waiters, row.waiters());
        }
        return new LeaseView(
                first.holding(),
                first.state(),
                first.age(),
                first.remaining(),
                waiters,
                first.record());
    }
}
