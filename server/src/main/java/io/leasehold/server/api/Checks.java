// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Whether a token holds a scope, for resources that are shown a token but no lease. */
final class Checks {

    private static final int MOST_PAGES = 64;

    private Checks() {}

    /**
     * The token is current if its lease lives and covers the scope, stale if a newer one is known
     * there (held exclusively, or left as a record), and unknown otherwise.
     */
    static CompletionStage<CheckReply> check(LeaseStore store, Scope scope, FencingToken token) {
        return next(store, LeaseQuery.overlapping(scope), new Finding(scope, token), 1);
    }

    private static CompletionStage<CheckReply> next(
            LeaseStore store, LeaseQuery query, Finding finding, int number) {
        return store.list(query).thenCompose(page -> {
            finding.read(page);
            List<LeaseView> leases = page.leases();
            if (!page.more() || leases.isEmpty() || number == MOST_PAGES) {
                return CompletableFuture.completedStage(finding.reply());
            }
            LeaseView last = leases.get(leases.size() - 1);
            return next(store, query.after(last.holding().token()), finding, number + 1);
        });
    }

    /** What is known so far; read by one page after the other. */
    private static final class Finding {

        private final Scope scope;
        private final FencingToken token;
        private boolean current;
        private boolean stale;
        private long newest;

        Finding(Scope scope, FencingToken token) {
            this.scope = scope;
            this.token = token;
        }

        void read(LeasePage page) {
            for (LeaseView view : page.leases()) {
                long other = view.holding().token().value();
                boolean held = view.state() == LeaseView.State.HELD;
                newest = Math.max(newest, other);
                if (other == token.value()) {
                    current |= held && view.holding().claim().covers(scope);
                } else if (other > token.value()) {
                    stale |= !held || view.holding().claim().mode() == Mode.EXCLUSIVE;
                }
            }
        }

        CheckReply reply() {
            CheckReply.Standing standing = CheckReply.Standing.UNKNOWN;
            if (current) {
                standing = CheckReply.Standing.CURRENT;
            } else if (stale) {
                standing = CheckReply.Standing.STALE;
            }
            return CheckReply.newBuilder()
                    .setStanding(standing)
                    .setNewest(newest)
                    .build();
        }
    }
}
