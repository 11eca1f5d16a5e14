// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.StoreId;

import java.time.Duration;
import java.util.Optional;

/**
 * What a journal knows beside the table. It only ever grows.
 *
 * @param lastToken no lower token will be drawn
 * @param frozenUntil store time before which nothing is granted
 * @param longestTtl the longest ttl of any lease that was ever granted
 * @param storeId the id of the store; empty in a journal that was written before there were any
 */
record Standing(long lastToken, long frozenUntil, long longestTtl, Optional<StoreId> storeId) {

    static final Standing NONE = new Standing(0, 0, 0);

    /** One that does not tell the id of the store. */
    Standing(long lastToken, long frozenUntil, long longestTtl) {
        this(lastToken, frozenUntil, longestTtl, Optional.empty());
    }

    /**
     * Both together.
     *
     * @throws IllegalArgumentException if they are of two stores
     */
    Standing and(Standing other) {
        if (storeId.isPresent() && other.storeId.isPresent() && !storeId.equals(other.storeId)) {
            throw new IllegalArgumentException("it is of store " + other.storeId.get()
                    + ", and what comes before it of store " + storeId.get());
        }
        return new Standing(
                Math.max(lastToken, other.lastToken),
                Math.max(frozenUntil, other.frozenUntil),
                Math.max(longestTtl, other.longestTtl),
                storeId.or(other::storeId));
    }

    Standing withLastToken(long token) {
        return token <= lastToken ? this : and(new Standing(token, 0, 0));
    }

    Standing withTtl(Duration ttl) {
        return ttl.toNanos() <= longestTtl ? this : and(new Standing(0, 0, ttl.toNanos()));
    }

    /** The same of a store that has an id: its own, or else the given one. */
    Standing identified(StoreId ifNone) {
        return storeId.isPresent() ? this : and(new Standing(0, 0, 0, Optional.of(ifNone)));
    }
}
