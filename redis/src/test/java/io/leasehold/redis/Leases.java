// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.testkit.RealTime;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/** What the tests of faults ask of stores. */
final class Leases {

    /** As long as a caller waits at most. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private Leases() {}

    static LeaseRequest request(String name, Duration ttl) {
        return LeaseRequest.of(
                id(), Claim.exclusive(Scope.name(name)), new Holder("somebody"), ttl);
    }

    static LeaseId id() {
        return new LeaseId(
                ThreadLocalRandom.current().nextLong(),
                ThreadLocalRandom.current().nextLong());
    }

    static Grant grant(LeaseStore store, String name, Duration ttl) {
        return granted(store.acquire(request(name, ttl)));
    }

    static Grant granted(CompletionStage<Acquisition> stage) {
        Acquisition answer = RealTime.answer(stage);
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw new AssertionError("not granted but " + answer);
    }

    static boolean renews(LeaseStore store, Grant grant) {
        return RealTime.answer(store.renew(RenewalRequest.of(grant, grant.ttl())))
                instanceof Renewal.Renewed;
    }

    static List<LeaseView> list(LeaseStore store) {
        return RealTime.answer(store.list(LeaseQuery.all())).leases();
    }
}
