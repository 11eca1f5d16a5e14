// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreId;
import io.leasehold.spi.LeaseStore;

import java.util.Optional;

/** Compares the store that granted a lease with the one that a command works on. */
final class SameStore {

    private SameStore() {}

    /** The id of the store, if it tells. */
    static Optional<StoreId> idOf(LeaseStore store) {
        try {
            return Optional.of(Answers.await(store.storeId()));
        } catch (LeaseholdException e) {
            return Optional.empty();
        }
    }

    /** What to say if the lease is in another store; empty if it is not, or nobody knows. */
    static Optional<String> mismatch(LeaseFile.Kept lease, LeaseStore store) {
        return lease.store()
                .flatMap(granted -> idOf(store)
                        .filter(here -> !here.equals(granted))
                        .map(here -> "the lease on " + lease.grant().holding().claim()
                                + " was granted by store " + granted + ", and this is store " + here
                                + ": it is another server or namespace, or the store was replaced by an"
                                + " empty one"));
    }
}
