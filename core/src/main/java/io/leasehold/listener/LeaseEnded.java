// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.Holding;

import java.time.Duration;

/**
 * A lease that ended.
 *
 * @param holding what was held, under which token
 * @param heldFor from the grant to the end
 */
public record LeaseEnded(Holding holding, Cause cause, Duration heldFor) {

    /** Why a lease ends. */
    public enum Cause {
        /** It was given back. */
        RELEASED,
        /** It was given back, and a record was left. */
        COMPLETED,
        /** Lost: it was not renewed in time. */
        NOT_RENEWED,
        /** Lost: it was held for as long as its options allow. */
        HELD_TOO_LONG,
        /** Lost: the store refused to renew or rotate it. */
        REFUSED,
        /** Lost: another store answers in place of the one that granted it. */
        STORE_CHANGED;

        /** Whether the holder lost it, rather than giving it back. */
        public boolean isLoss() {
            return this != RELEASED && this != COMPLETED;
        }
    }
}
