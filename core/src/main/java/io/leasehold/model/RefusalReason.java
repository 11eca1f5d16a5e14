// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * Why a store refused an operation on a lease. The set is closed: it is the same on every engine
 * and wire.
 */
public enum RefusalReason {
    /**
     * There is no such lease, and nothing in its place. Also the answer for a lease that ran out
     * when the store can no longer tell: its retry window is over, or, in a quorum, too few of the
     * nodes that had the lease answer. So do not tell {@code NOT_FOUND} and {@code EXPIRED} apart
     * in a program: in both cases the lease is over.
     */
    NOT_FOUND,
    /** Someone else holds the scope now. */
    NOT_HOLDER,
    /** The same holder has a newer grant. */
    TOKEN_MISMATCH,
    /**
     * The lease ran out. It can't be renewed even if nobody took it: acquire again, with a higher
     * token.
     */
    EXPIRED,
    /** The lease was renewed since the version that the caller expected. */
    VERSION_MISMATCH,
    /**
     * The lease is on other scopes than the caller named. To an acquire: the lease id belongs to
     * another request, for other scopes or with another mode, holder or ttl.
     */
    SCOPE_MISMATCH
}
