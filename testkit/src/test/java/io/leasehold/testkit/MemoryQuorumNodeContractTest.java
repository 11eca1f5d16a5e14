// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.table.TableOptions;

final class MemoryQuorumNodeContractTest extends QuorumNodeContract {

    private static final long GENERATION = 4711;

    @Override
    protected StoreUnderTest open(TableOptions options) {
        VirtualTime time = VirtualTime.create();
        return StoreUnderTest.on(time, MemoryQuorumNode.create(options, time, GENERATION));
    }
}
