// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RealTime;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** What the tests ask of a store. */
final class Asking {

    private static final AtomicLong IDS = new AtomicLong();

    private Asking() {}

    static LeaseRequest request(String name) {
        return LeaseRequest.of(
                new LeaseId(4711, IDS.incrementAndGet()),
                Claim.exclusive(Scope.name(name)),
                new Holder("somebody"),
                Duration.ofSeconds(30));
    }

    static Grant granted(LeaseStore store, String name) {
        return granted(RealTime.answer(store.acquire(request(name))));
    }

    static Grant granted(Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw new AssertionError("not granted but " + answer);
    }
}
