// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

/**
 * Hears what becomes of the nodes of a quorum, as this client sees them: for logs, meters and
 * alarms. Called on whatever thread notices; it must be quick and must not block.
 */
@FunctionalInterface
public interface QuorumListener {

    /** Wants to know nothing. */
    QuorumListener NOBODY = change -> {};

    void on(NodeChange change);

    /**
     * The state of a node changed.
     *
     * @param node its place among the nodes, from 0
     * @param state what it is now
     * @param reason why, for people
     */
    record NodeChange(int node, NodeState state, String reason) {}

    /** What a node is to the quorum. */
    enum NodeState {
        /** It takes part. */
        JOINED,
        /** It took part and did not answer in time; it is asked on, but not waited for. */
        SILENT,
        /** It can't be reached, or nothing is known of it yet. */
        UNREACHABLE,
        /** It forgot, or is new, and is kept out until no lease it may have known can live. */
        KEPT_OUT,
        /** It belongs to another quorum. */
        FOREIGN
    }
}
