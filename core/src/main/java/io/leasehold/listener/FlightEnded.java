// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import java.time.Duration;

/**
 * A flight that ended: callers of one key in this process, who got the same.
 *
 * @param family names the kind of work
 * @param took from the first caller to the answer
 */
public record FlightEnded(String family, Outcome outcome, Duration took) {

    /** How a flight ends. */
    public enum Outcome {
        /** The work was done here. */
        LED,
        /** The value came from elsewhere, or from before. */
        SHARED,
        /** The callers got an error. */
        FAILED,
        /** All callers left before it ended. */
        ABANDONED
    }
}
