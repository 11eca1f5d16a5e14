// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.table.LeaseTable;
import io.leasehold.table.Reply;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One operation that is done twice, on the reference table and on a store, so that the answers can be compared. An
 * answer is what the operation returns or a {@link LeaseholdException}; a listing is answered with its rows.
 */
sealed interface Command {

    /** Does it on the table; the answer comes at once, or in the course of a later operation. */
    void decide(LeaseTable table, long now, Consumer<Object> answer);

    /** Does it on the store. */
    CompletionStage<?> send(LeaseStore store);

    /**
     * A lease as each side knows it: the two differ in the token.
     *
     * @param model the grant that the table made
     * @param store the grant that the store made
     * @param forged whether its scopes were exchanged, so that it proves nothing
     */
    record Known(Grant model, Grant store, boolean forged) {}

    /**
     * A first request or a repeat.
     *
     * @param since the lease whose record, or a later one, the request is content with
     */
    record Acquire(LeaseRequest request, Optional<Known> since) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            table.acquire(request(Known::model), now, new Reply() {
                @Override
                public void settle(Acquisition outcome) {
                    answer.accept(outcome);
                }

                @Override
                public void fail(LeaseholdException reason) {
                    answer.accept(reason);
                }
            });
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.acquire(request(Known::store));
        }

        private LeaseRequest request(Function<Known, Grant> side) {
            return since.map(lease ->
                            request.unlessCompletedSince(side.apply(lease).token()))
                    .orElse(request);
        }
    }

    record Withdraw(LeaseRequest request) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.withdraw(request, now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.withdraw(request);
        }
    }

    /** What a server does for a caller that seems to be gone. */
    record WithdrawUnlessUsed(LeaseRequest request) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.withdrawUnlessUsed(request, now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.withdrawUnlessUsed(request);
        }
    }

    record Renew(Known lease, Optional<Duration> ttl, OptionalLong version) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.renew(new RenewalRequest(lease.model, ttl, version), now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.renew(new RenewalRequest(lease.store, ttl, version));
        }
    }

    record RenewAll(List<Known> leases, Duration ttl) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            List<Renewal> answers = new ArrayList<>();
            for (Known lease : leases) {
                answers.add(table.renew(RenewalRequest.of(lease.model, ttl), now));
            }
            answer.accept(answers);
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.renewAll(leases.stream()
                    .map(lease -> RenewalRequest.of(lease.store, ttl))
                    .toList());
        }
    }

    record Rotate(Known lease) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.rotate(lease.model, now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.rotate(lease.store);
        }
    }

    record Release(Known lease) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.release(lease.model, now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.release(lease.store);
        }
    }

    /** The end of a lease by its token alone, at one of its scopes or at another. */
    record ForceRelease(Scope scope, Known lease) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.forceRelease(scope, lease.model.token(), now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.forceRelease(scope, lease.store.token());
        }
    }

    record Complete(Known lease, LeaseRecord record, Duration keepFor) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.complete(lease.model, record, keepFor, now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.complete(lease.store, record, keepFor);
        }
    }

    /** A listing of everything, or of what overlaps a scope, which the store gives in pages of the given size. */
    record ListPages(Optional<Scope> overlapping, int pageSize) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            LeaseQuery query = new LeaseQuery(overlapping, Optional.empty(), LeaseQuery.MAX_LIMIT);
            answer.accept(table.list(query, now).leases());
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return rest(store, new LeaseQuery(overlapping, Optional.empty(), pageSize), List.of());
        }

        private static CompletionStage<List<LeaseView>> rest(
                LeaseStore store, LeaseQuery query, List<LeaseView> before) {
            return store.list(query).thenCompose(page -> {
                List<LeaseView> rows = new ArrayList<>(before);
                rows.addAll(page.leases());
                return page.more() && !page.leases().isEmpty()
                        ? rest(
                                store,
                                query.after(rows.get(rows.size() - 1).holding().token()),
                                rows)
                        : CompletableFuture.completedFuture(rows);
            });
        }
    }

    /** How the lease's token stands at a scope. */
    record Check(Scope scope, Known lease) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {
            answer.accept(table.check(scope, lease.model.token(), now));
        }

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            return store.check(scope, lease.store.token());
        }
    }

    /** Nothing is done but time passes. */
    record Pass(Duration span) implements Command {
        @Override
        public void decide(LeaseTable table, long now, Consumer<Object> answer) {}

        @Override
        public CompletionStage<?> send(LeaseStore store) {
            throw new AssertionError("time is not the store's to pass");
        }
    }
}
