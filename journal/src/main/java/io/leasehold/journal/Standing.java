// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.time.Duration;

/**
 * What a journal knows beside the table. It only ever grows.
 *
 * @param lastToken no lower token will be drawn
 * @param frozenUntil store time before which nothing is granted
 * @param longestTtl the longest ttl of any lease that was ever granted
 */
record Standing(long lastToken, long frozenUntil, long longestTtl) {

    static final Standing NONE = new Standing(0, 0, 0);

    Standing and(Standing other) {
        return new Standing(
                Math.max(lastToken, other.lastToken),
                Math.max(frozenUntil, other.frozenUntil),
                Math.max(longestTtl, other.longestTtl));
    }

    Standing withLastToken(long token) {
        return token <= lastToken ? this : and(new Standing(token, 0, 0));
    }

    Standing withTtl(Duration ttl) {
        return ttl.toNanos() <= longestTtl ? this : and(new Standing(0, 0, ttl.toNanos()));
    }
}
