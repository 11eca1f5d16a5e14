// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.Holding;
import io.leasehold.model.RefusalReason;

/** Something that happened to a lease in the store. */
public sealed interface LeaseEvent {

    /**
     * A lease changed.
     *
     * @param change how
     * @param holding the lease, as it is after the change
     */
    record Changed(Change change, Holding holding) implements LeaseEvent {}

    /**
     * A renewal came too late or from the wrong party.
     *
     * @param reason why it was refused
     * @param holding what the sender believed to hold
     */
    record RenewalRefused(RefusalReason reason, Holding holding) implements LeaseEvent {}

    /**
     * The listener was too slow and events were dropped: read the state anew with {@code list}.
     *
     * @param events how many
     */
    record Missed(long events) implements LeaseEvent {}

    /** How a lease changed. */
    enum Change {
        GRANTED,
        RENEWED,
        ROTATED,
        RELEASED,
        COMPLETED,
        EXPIRED
    }
}
