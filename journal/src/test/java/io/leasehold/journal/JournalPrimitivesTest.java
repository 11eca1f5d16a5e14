// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.table.TableOptions;
import io.leasehold.testkit.PrimitivesContract;
import io.leasehold.testkit.StoreUnderTest;

/** The primitives on the journal engine. */
final class JournalPrimitivesTest extends PrimitivesContract {

    @Override
    protected StoreUnderTest open(TableOptions options) {
        return Stores.underTest(options);
    }
}
