// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RealTime;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** What the tests ask of a store. */
final class Asking {

    private static final AtomicLong IDS = new AtomicLong();

    private Asking() {}

    static LeaseRequest request(String name, Duration ttl) {
        return LeaseRequest.of(
                new LeaseId(4711, IDS.incrementAndGet()),
                Claim.exclusive(Scope.name(name)),
                new Holder("somebody"),
                ttl);
    }

    /** Asks the same again until there is an answer; counts how often there was none. */
    static <T> T sure(Supplier<CompletionStage<T>> question, AtomicLong repeats) {
        long start = Time.system().nanos();
        while (true) {
            try {
                return RealTime.answer(question.get());
            } catch (OutcomeUnknownException | StoreUnavailableException e) {
                repeats.incrementAndGet();
                if (Time.system().nanos() - start > RealTime.PATIENCE.toNanos()) {
                    throw new AssertionError("still so after " + RealTime.PATIENCE, e);
                }
                RealTime.pass(Duration.ofMillis(5));
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
}
