// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Renewal;
import io.leasehold.table.Deliveries;

import java.util.HashMap;
import java.util.Map;

/**
 * The renewals that are on their way to disk. A later one of the same lease that needs no disk of
 * its own still relies on them, for what a start makes of the lease: until the last of them is
 * there, it waits, too. Guarded by the store's lock.
 */
final class Renewals {

    private final Map<LeaseId, Outgoing> underWay = new HashMap<>();

    boolean isUnderWay(LeaseId id) {
        return underWay.containsKey(id);
    }

    /** The answer to a renewal that is being forced. */
    Outgoing begin(LeaseId id, Answer<Renewal> answer) {
        Outgoing forced = new Outgoing() {
            @Override
            public void send(Deliveries deliveries) {
                underWay.remove(id, this);
                answer.send(deliveries);
            }

            @Override
            public void fail(Deliveries deliveries, LeaseholdException reason) {
                answer.fail(deliveries, reason);
            }
        };
        underWay.put(id, forced);
        return forced;
    }
}
