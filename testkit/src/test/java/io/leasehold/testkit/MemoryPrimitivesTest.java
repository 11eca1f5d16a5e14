// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.table.TableOptions;

/** The primitives on the memory engine. */
final class MemoryPrimitivesTest extends PrimitivesContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        VirtualTime time = VirtualTime.create();
        return StoreUnderTest.on(time, MemoryLeaseStore.create(options, time));
    }
}
