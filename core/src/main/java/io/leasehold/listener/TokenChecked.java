// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;

import java.time.Duration;
import java.util.Optional;

/**
 * A token that was checked.
 *
 * @param newest the mark above the token, if a guard refused it as stale
 * @param took the check alone, without what was done then
 */
public record TokenChecked(
        FencedOperation operation, Outcome outcome, Optional<FencingToken> newest, Duration took) {

    /** What a check says. */
    public enum Outcome {
        /** The token passed. */
        VALID,
        /** Somebody has come with a newer one; or the store does not know the lease any more. */
        STALE,
        /** The lease does not cover what was to be written. */
        OUT_OF_SCOPE,
        /** The token could not be checked. */
        FAILED
    }
}
