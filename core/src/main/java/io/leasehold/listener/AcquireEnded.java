// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;

import java.time.Duration;
import java.util.Optional;

/**
 * An acquire that ended.
 *
 * @param began its beginning: the same object that was told then
 * @param token of the lease, if it was granted
 * @param waited from the call to its end
 */
public record AcquireEnded(
        AcquireBegan began, Outcome outcome, Optional<FencingToken> token, Duration waited) {

    /** How an acquire ends. */
    public enum Outcome {
        /** A lease is held. */
        GRANTED,
        /** Somebody else held the scope to the end of the wait. */
        BUSY,
        /** A record was found there with which the caller is content. */
        COMPLETED,
        /** It was cancelled, interrupted, or the {@code Leasehold} was closed. */
        WITHDRAWN,
        /** It failed, and nothing happened: the store could not be reached, or has no room. */
        FAILED,
        /** The store did not answer; what it may have granted was withdrawn. */
        UNKNOWN
    }
}
