// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * Who a node of a quorum is.
 *
 * @param generation another one whenever the node has forgotten something
 * @param counter the last token that was drawn or raised to; 0 if there is none
 * @param age how long this generation has lasted, by the node's own clock, and never more
 * @param membership where it was admitted; empty if it was not since it forgot
 */
public record NodeStanding(
        long generation, long counter, Duration age, Optional<Membership> membership) {

    /**
     * The quorum that a node belongs to.
     *
     * @param quorum its name
     * @param nodes how many nodes it has, this one included
     * @param index which of them this one is, from 0 on
     */
    public record Membership(String quorum, int nodes, int index) {}

    /** Whether the node was admitted to just this quorum. */
    public boolean isOf(Membership quorum) {
        return membership.filter(quorum::equals).isPresent();
    }
}
