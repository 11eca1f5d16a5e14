// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.PrimitivesContract;
import io.leasehold.testkit.StoreUnderTest;

/** The primitives, on three nodes in memory. */
final class ThreeNodesPrimitivesTest extends PrimitivesContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        return MemoryQuorum.open(3, options);
    }
}
