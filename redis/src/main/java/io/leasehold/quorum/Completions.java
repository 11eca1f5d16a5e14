// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Refused;
import io.leasehold.table.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Completes leases, each with one record. A member that missed a completion still has the lease, and
 * would take the record of a second one, under the same token as the first. So a completion with
 * another record than one that was begun here is sent to nobody.
 */
final class Completions {

    private static final int REMEMBERED = 8192;

    private final Endings endings;
    private final Pages pages;
    private final ReentrantLock lock = new ReentrantLock(); // guards begun
    private final Map<LeaseId, Outcome> begun = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<LeaseId, Outcome> eldest) {
            return size() > REMEMBERED;
        }
    };

    Completions(Endings endings, Pages pages) {
        this.endings = endings;
        this.pages = pages;
    }

    CompletableFuture<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        Outcome outcome = Outcome.completed(
                grant.token().value(), record, Limits.keepFor(keepFor).toNanos());
        if (!begin(grant.id(), outcome)) {
            return refuse(grant.holding());
        }
        return endings.complete(grant, node -> node.complete(grant, record, keepFor))
                .whenComplete((ending, failure) -> {
                    if (isNothingLeft(ending, failure)) {
                        forget(grant.id(), outcome);
                    }
                });
    }

    private static boolean isNothingLeft(@Nullable Ending ending, @Nullable Throwable failure) {
        return ending instanceof Refused
                || (failure != null && Members.cause(failure) instanceof StoreUnavailableException);
    }

    /** Notes a completion; false if there was another under this token. */
    private boolean begin(LeaseId id, Outcome outcome) {
        lock.lock();
        try {
            Outcome first = begun.get(id);
            if (first != null && first.token() == outcome.token()) {
                return first.equals(outcome);
            }
            begun.put(id, outcome);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void forget(LeaseId id, Outcome outcome) {
        lock.lock();
        try {
            begun.remove(id, outcome);
        } finally {
            lock.unlock();
        }
    }

    /** The lease is over; whether somebody else has the scopes now, the listing tells. */
    private CompletableFuture<Ending> refuse(Holding over) {
        CompletableFuture<Ending> refused =
                CompletableFuture.completedFuture(new Refused(RefusalReason.NOT_FOUND));
        for (Scope scope : over.claim().scopes()) {
            refused = refused.thenCombine(
                    pages.of(LeaseQuery.overlapping(scope)),
                    (ending, page) -> successor(over, page).orElse(ending));
        }
        return refused;
    }

    private static Optional<Ending> successor(Holding over, LeasePage page) {
        return page.leases().stream()
                .filter(view -> view.state() == LeaseView.State.HELD)
                .map(LeaseView::holding)
                .filter(holding -> !holding.token().equals(over.token()))
                .filter(holding -> holding.claim().conflictsWith(over.claim()))
                .findFirst()
                .map(holding -> new Refused(
                        holding.holder().equals(over.holder())
                                ? RefusalReason.TOKEN_MISMATCH
                                : RefusalReason.NOT_HOLDER));
    }
}
