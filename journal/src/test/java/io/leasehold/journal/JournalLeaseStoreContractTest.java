// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.StoreUnderTest;

final class JournalLeaseStoreContractTest extends LeaseStoreContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        return Stores.underTest(options);
    }
}
