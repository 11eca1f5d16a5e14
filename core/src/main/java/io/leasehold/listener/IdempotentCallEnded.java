// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import java.time.Duration;

/**
 * An idempotent call that ended.
 *
 * @param family names the kind of call
 * @param took from the call to its end
 */
public record IdempotentCallEnded(String family, Outcome outcome, Duration took) {

    /** How an idempotent call ends. */
    public enum Outcome {
        /** The work ran here, and its outcome is stored. */
        RAN,
        /** The work ran here and threw. */
        THREW,
        /** The stored outcome, a failure included, was returned. */
        REPLAYED,
        /** The key was used with another payload. */
        CONFLICT,
        /** It runs elsewhere, still so at the end of the wait. */
        IN_PROGRESS,
        /** The lease was lost before the work began, or before its outcome could be stored. */
        LOST,
        /** The work ran here, but its outcome could not be stored. */
        NOT_SHARED,
        /** It did not run: the store could not be reached, or the call was taken back. */
        FAILED
    }
}
