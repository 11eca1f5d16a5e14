// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.table.TableOptions;

final class MemoryLeaseStoreContractTest extends LeaseStoreContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        VirtualTime time = VirtualTime.startingAt(Long.MAX_VALUE - 1_000_000_000L);
        return StoreUnderTest.on(time, MemoryLeaseStore.create(options, time));
    }
}
