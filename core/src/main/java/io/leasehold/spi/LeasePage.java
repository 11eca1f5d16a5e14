// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.util.List;

/**
 * One page of a listing, in token order.
 *
 * @param leases at most as many as the query asked for
 * @param more whether there may be more behind the last one
 */
public record LeasePage(List<LeaseView> leases, boolean more) {

    public LeasePage {
        leases = List.copyOf(leases);
    }
}
