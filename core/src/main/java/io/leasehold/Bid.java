// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;

import java.time.Duration;
import java.util.Optional;

/**
 * What a primitive asks of the store.
 *
 * @param claim what to lease
 * @param options how to hold it
 * @param waitAtMost how long to wait for it
 * @param record what to publish while it is held
 * @param since to be content with the record of this holder or a later one instead
 */
record Bid(
        Claim claim,
        LockOptions options,
        Duration waitAtMost,
        Optional<LeaseRecord> record,
        Optional<FencingToken> since) {

    static Bid of(Claim claim, LockOptions options, Duration waitAtMost) {
        return new Bid(claim, options, waitAtMost, Optional.empty(), Optional.empty());
    }

    Bid publishing(LeaseRecord published) {
        return new Bid(claim, options, waitAtMost, Optional.of(published), since);
    }

    Bid unlessCompletedSince(FencingToken token) {
        return new Bid(claim, options, waitAtMost, record, Optional.of(token));
    }

    Bid waitingAtMost(Duration wait) {
        return new Bid(claim, options, wait, record, since);
    }
}
