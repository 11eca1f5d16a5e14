// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.StoreUnderTest;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of all engines, through client and server over gRPC, on the memory engine of a server. */
@SuppressWarnings("NullAway.Init")
final class RemoteMemoryContractTest extends LeaseStoreContract {

    private static ServedStores served;

    @BeforeAll
    static void start() {
        served = new ServedStores(
                (namespace, options, time) -> MemoryLeaseStore.create(options, time));
    }

    @AfterAll
    static void stop() {
        served.close();
    }

    @Override
    protected StoreUnderTest open(TableOptions options) {
        return served.open(options);
    }

    /** No server runs on a store of another. */
    @Override
    protected boolean knowsSenders() {
        return false;
    }
}
