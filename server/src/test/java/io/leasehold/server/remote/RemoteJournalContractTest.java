// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.spi.Disk;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.StoreUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract of all engines, through client and server over gRPC, on the journal of a server. */
@SuppressWarnings("NullAway.Init")
final class RemoteJournalContractTest extends LeaseStoreContract {

    private static ServedStores served;

    @BeforeAll
    static void start(@TempDir Path directory) {
        served = new ServedStores((namespace, options, time) -> JournalLeaseStore.open(
                directory.resolve(namespace),
                JournalOptions.defaults().withSegmentBytes(1 << 19).withTable(options),
                time,
                Disk.system()));
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
