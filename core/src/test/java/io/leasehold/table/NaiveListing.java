// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.NaiveScopes;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** What a listing of the naive model shows: every row there is, sorted by token and then cut. */
final class NaiveListing {

    private NaiveListing() {}

    static LeasePage of(NaiveState state, LeaseQuery query, long now) {
        TreeMap<Long, LeaseView> rows = new TreeMap<>();
        for (NaiveState.Kept kept : state.records) {
            if (isWanted(query, List.of(kept.scope()))) {
                rows.put(kept.holding().token().value(), view(kept, now));
            }
        }
        for (NaiveState.Lease lease : state.leases) {
            if (isWanted(query, lease.claim().scopes())) {
                rows.put(lease.token, view(state, lease, now));
            }
        }
        long after = query.after().isPresent() ? query.after().get().value() : 0;
        List<LeaseView> wanted = List.copyOf(rows.tailMap(after, false).values());
        int size = Math.min(wanted.size(), query.limit());
        return new LeasePage(wanted.subList(0, size), wanted.size() > size);
    }

    private static boolean isWanted(LeaseQuery query, List<Scope> scopes) {
        return query.overlapping().isEmpty()
                || scopes.stream()
                        .anyMatch(scope ->
                                NaiveScopes.overlap(scope, query.overlapping().get()));
    }

    private static LeaseView view(NaiveState.Kept kept, long now) {
        return new LeaseView(
                kept.holding(),
                LeaseView.State.COMPLETED,
                Duration.ofNanos(now - kept.at()),
                Duration.ofNanos(kept.until() - now),
                0,
                Optional.of(kept.record()));
    }

    private static LeaseView view(NaiveState state, NaiveState.Lease lease, long now) {
        long waiters = state.waiters.stream()
                .filter(waiter -> !Collections.disjoint(
                        waiter.request.claim().scopes(), lease.claim().scopes()))
                .count();
        return new LeaseView(
                lease.holding(),
                lease.ranOut ? LeaseView.State.LOCK_DELAY : LeaseView.State.HELD,
                Duration.ofNanos(now - lease.grantedAt),
                Duration.ofNanos((lease.ranOut ? lease.clearAt() : lease.expiry) - now),
                (int) waiters,
                lease.request.terms().record());
    }
}
