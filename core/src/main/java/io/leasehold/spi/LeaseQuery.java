// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

import java.util.Optional;

/**
 * Which leases and records to list, in token order.
 *
 * @param overlapping only those that overlap this scope
 * @param after only those with a higher token: the last one of the page before
 * @param limit the size of the page, 1 to 1000
 */
public record LeaseQuery(Optional<Scope> overlapping, Optional<FencingToken> after, int limit) {

    public static final int MAX_LIMIT = 1000;

    public LeaseQuery {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException(
                    "page of " + limit + " leases; it must be 1 to " + MAX_LIMIT);
        }
    }

    /** The first page of everything. */
    public static LeaseQuery all() {
        return new LeaseQuery(Optional.empty(), Optional.empty(), MAX_LIMIT);
    }

    /** The first page of what overlaps the scope. */
    public static LeaseQuery overlapping(Scope scope) {
        return new LeaseQuery(Optional.of(scope), Optional.empty(), MAX_LIMIT);
    }

    /** The page behind the given token. */
    public LeaseQuery after(FencingToken token) {
        return new LeaseQuery(overlapping, Optional.of(token), limit);
    }
}
