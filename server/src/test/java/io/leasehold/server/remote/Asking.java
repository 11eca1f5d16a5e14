// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the tests ask of a store, and how long they wait for it. */
final class Asking {

    /** Longer than anything takes on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final AtomicLong IDS = new AtomicLong();

    private Asking() {}

    static LeaseRequest request(String name, Duration ttl) {
        return LeaseRequest.of(
                new LeaseId(4711, IDS.incrementAndGet()),
                Claim.exclusive(Scope.name(name)),
                new Holder("somebody"),
                ttl);
    }

    /** The answer, or the store's exception. */
    static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LeaseholdException known) {
                throw known;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Asks the same again until there is an answer; counts how often there was none. */
    static <T> T sure(Supplier<CompletionStage<T>> question, AtomicLong repeats) {
        long start = Time.system().nanos();
        while (true) {
            try {
                return answer(question.get());
            } catch (OutcomeUnknownException | StoreUnavailableException e) {
                repeats.incrementAndGet();
                if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                    throw new AssertionError("still so after " + PATIENCE, e);
                }
                pass(Duration.ofMillis(5));
            }
        }
    }

    /** All leases and records by token. */
    static Map<Long, LeaseView> list(LeaseStore store) {
        Map<Long, LeaseView> all = new HashMap<>();
        LeaseQuery query = LeaseQuery.all();
        boolean more = true;
        while (more) {
            LeaseQuery asked = query;
            var page = sure(() -> store.list(asked), new AtomicLong());
            page.leases().forEach(view -> all.put(view.holding().token().value(), view));
            more = page.more();
            if (more) {
                query = query.after(
                        page.leases().get(page.leases().size() - 1).holding().token());
            }
        }
        return all;
    }

    static void until(String what, BooleanSupplier condition) {
        long start = Time.system().nanos();
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - start > PATIENCE.toNanos()) {
                throw new AssertionError("not within " + PATIENCE + ": " + what);
            }
            pass(Duration.ofMillis(10));
        }
    }

    static void pass(Duration span) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Time.system().schedule(span, () -> over.complete(true));
        over.join();
    }
}
