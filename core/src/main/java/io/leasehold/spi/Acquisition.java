// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;

import java.time.Duration;
import java.util.Optional;

/** The answer to an acquire. */
public sealed interface Acquisition {

    /**
     * The lease is the caller's.
     *
     * @param grant what renewal and release will match
     * @param version 1 at the grant, one more at each renewal and rotation
     * @param validity for how long, as R12 counts it
     */
    record Granted(Grant grant, long version, Validity validity) implements Acquisition {}

    /**
     * The scope is held, also at the end of the wait if there was one.
     *
     * @param blocker one of those in the way: a holder of an overlapping scope, or of what an
     *     earlier waiter with an overlapping scope waits for
     * @param remaining how long the blocker's lease still runs unless renewed, or the lock-delay
     *     behind it
     * @param record what the blocker published with its request
     * @param inLockDelay whether the blocker's lease has expired, and only its lock-delay is in the
     *     way: nobody holds the scope, and nobody can end the delay
     */
    record Held(
            Holding blocker, Duration remaining, Optional<LeaseRecord> record, boolean inLockDelay)
            implements Acquisition {}

    /**
     * The work was done: the last holder left a record, and the request asked for it.
     *
     * @param record what was left
     * @param token the token of the holder that left it
     * @param keptFor how long it is still kept
     */
    record Completed(LeaseRecord record, FencingToken token, Duration keptFor)
            implements Acquisition {}

    /**
     * A lease with this id was granted before and is over, or the id belongs to another request. A
     * new lease needs a new id.
     *
     * @param reason {@code EXPIRED}, {@code NOT_FOUND} (released or withdrawn) or {@code
     *     SCOPE_MISMATCH} (the id belongs to a request for other scopes, or with another mode, holder
     *     or ttl)
     */
    record Gone(RefusalReason reason) implements Acquisition {}
}
