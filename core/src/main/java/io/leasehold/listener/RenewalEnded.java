// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.Holding;
import io.leasehold.model.RefusalReason;

import java.time.Duration;
import java.util.Optional;

/**
 * A renewal that was answered, or failed.
 *
 * @param refusal the store's reason, if it was refused
 * @param late how long after its plan it was sent; zero for one that the user asked for
 */
public record RenewalEnded(
        Holding holding, Outcome outcome, Optional<RefusalReason> refusal, Duration late) {

    /** How a renewal ends. */
    public enum Outcome {
        /** The lease runs anew. */
        RENEWED,
        /** The store refused: the lease is lost. */
        REFUSED,
        /** No answer, or none in time; it is tried again while the lease lasts. */
        FAILED
    }
}
