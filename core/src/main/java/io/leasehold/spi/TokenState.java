// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/**
 * What a node of a quorum knows of the token of a lease that it holds, beside the token itself.
 *
 * @param draw the number that the node drew for the lease, 0 if it drew none
 * @param mark the round in which the node took the token; {@link Round#NONE} if the token is only
 *     its own draw, {@link Round#FINAL} if the node was told that the token is final
 * @param asked the last round in which the lease was asked for, as far as the node tells
 * @param rotatedFrom the token before the last rotation, 0 if there was none
 */
public record TokenState(long draw, Round mark, Round asked, long rotatedFrom) {

    /** Nothing: the node does not hold the lease. */
    public static final TokenState NONE = new TokenState(0, Round.NONE, Round.NONE, 0);

    /** Whether the node took a token that was proposed to it. */
    public boolean isMarked() {
        return !mark.isNone();
    }
}
