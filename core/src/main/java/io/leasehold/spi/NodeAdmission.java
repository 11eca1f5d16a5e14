// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.FencingToken;

/**
 * What admits a node to a quorum.
 *
 * @param membership the quorum
 * @param generation the one that the node must be of
 * @param floor what its counter is raised to, 0 to 2<sup>53</sup>-1
 */
public record NodeAdmission(NodeStanding.Membership membership, long generation, long floor) {

    public NodeAdmission {
        if (floor < 0 || floor > FencingToken.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "floor " + floor + " is outside 0 to " + FencingToken.MAX_VALUE);
        }
    }
}
