// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.StoreUnderTest;

/** The contract of all engines, on five nodes in memory. */
final class FiveNodesContractTest extends LeaseStoreContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        return MemoryQuorum.open(5, options);
    }

    @Override
    protected boolean countsTokens() {
        return false;
    }
}
