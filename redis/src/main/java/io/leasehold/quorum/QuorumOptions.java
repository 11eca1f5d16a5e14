// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.spi.Limits;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How a quorum is used. Made complete by {@link #defaults} and varied by the other methods. All
 * clients of a quorum must agree on name and longest ttl. Immutable.
 *
 * @param name of the quorum; a node that belongs to one with another name is refused. Letters,
 *     digits and {@code . _ - /}
 * @param longestTtl the longest that a lease may live, lock-delay included, without a renewal; also
 *     for how long a node that forgot is kept out. 100 ms to 24 h
 * @param patience how long to wait for a node's answer; 10 ms to 1 min
 * @param isNew these nodes are a new quorum, so that there is nothing to wait for
 * @param listener is told what becomes of the nodes
 */
public record QuorumOptions(
        String name,
        Duration longestTtl,
        Duration patience,
        boolean isNew,
        QuorumListener listener) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._/-]{1,128}");

    public QuorumOptions {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a quorum has 1 to 128 letters, digits and . _ - /");
        }
        Limits.ttl(longestTtl);
        if (patience.compareTo(Duration.ofMillis(10)) < 0
                || patience.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "patience " + patience + " is not within 10 ms to 1 min");
        }
    }

    /** The quorum {@code default} with leases of 5 minutes at most, and a second for a node. */
    public static QuorumOptions defaults() {
        return new QuorumOptions(
                "default",
                Duration.ofMinutes(5),
                Duration.ofSeconds(1),
                false,
                QuorumListener.NOBODY);
    }

    public QuorumOptions withName(String changed) {
        return new QuorumOptions(changed, longestTtl, patience, isNew, listener);
    }

    public QuorumOptions withLongestTtl(Duration changed) {
        return new QuorumOptions(name, changed, patience, isNew, listener);
    }

    public QuorumOptions withPatience(Duration changed) {
        return new QuorumOptions(name, longestTtl, changed, isNew, listener);
    }

    /**
     * The same, for nodes that have never served this quorum: they are admitted at once. Nodes that
     * have lost all look the same, so it is for the first start only; otherwise leases that were
     * lost with them may still be relied upon.
     */
    public QuorumOptions asNew() {
        return new QuorumOptions(name, longestTtl, patience, true, listener);
    }

    public QuorumOptions withListener(QuorumListener changed) {
        return new QuorumOptions(name, longestTtl, patience, isNew, changed);
    }
}
