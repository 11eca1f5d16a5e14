// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Limits;

import java.time.Duration;
import java.util.Optional;

/**
 * How a candidate campaigns and leads. Start from {@link #defaults} and vary it by the {@code
 * with…} methods.
 *
 * @param ttl how long after the death of a leader the next one is elected
 * @param record what the leader publishes while it leads, such as its address
 * @param interruptOnLoss whether the body's thread is interrupted when the term ends before it
 *     returns
 * @param campaignAgain whether to campaign again after a term
 */
public record ElectionOptions(
        Duration ttl,
        Optional<LeaseRecord> record,
        boolean interruptOnLoss,
        boolean campaignAgain) {

    public ElectionOptions {
        Limits.ttl(ttl);
    }

    /** A lease of 10 s, nothing published, no interrupt, campaigns again. */
    public static ElectionOptions defaults() {
        return new ElectionOptions(Duration.ofSeconds(10), Optional.empty(), false, true);
    }

    public ElectionOptions withTtl(Duration newTtl) {
        return new ElectionOptions(newTtl, record, interruptOnLoss, campaignAgain);
    }

    public ElectionOptions withRecord(LeaseRecord published) {
        return new ElectionOptions(ttl, Optional.of(published), interruptOnLoss, campaignAgain);
    }

    public ElectionOptions withInterruptOnLoss() {
        return new ElectionOptions(ttl, record, true, campaignAgain);
    }

    /** Leads once at most. */
    public ElectionOptions once() {
        return new ElectionOptions(ttl, record, interruptOnLoss, false);
    }
}
