// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.VirtualTime;

final class MemoryEngineTest extends LeaseStoreContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        VirtualTime time = VirtualTime.create();
        return StoreUnderTest.on(time, MemoryLeaseStore.create(options, time));
    }
}
