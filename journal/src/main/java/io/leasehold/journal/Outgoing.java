// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseholdException;
import io.leasehold.table.Deliveries;

/** An answer or an event that leaves the store when what it tells of is on disk. */
interface Outgoing {

    /** Gives it out for delivery, under the store's lock. */
    void send(Deliveries deliveries);

    /** It will never be known whether that is on disk. Under the store's lock. */
    void fail(Deliveries deliveries, LeaseholdException reason);
}
