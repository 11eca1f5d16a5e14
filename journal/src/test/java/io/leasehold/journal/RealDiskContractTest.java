// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Disk;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.LeaseStoreContract;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.ThreadLeakCheck;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract on the machine's own disk, with the engine's own threads: only time is virtual. No
 * test may leave a thread behind.
 */
@ExtendWith(ThreadLeakCheck.class)
final class RealDiskContractTest extends LeaseStoreContract {

    private final AtomicInteger opened = new AtomicInteger();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @Override
    protected StoreUnderTest open(TableOptions options) {
        VirtualTime time = VirtualTime.create();
        JournalLeaseStore store = JournalLeaseStore.open(
                temporary.resolve("journal-" + opened.incrementAndGet()),
                Stores.SMALL.withTable(options),
                time,
                Disk.system());
        return new OnDisk(time, store);
    }

    /** Time passes only when the disk has everything: an answer on its way is not late. */
    private record OnDisk(VirtualTime virtual, JournalLeaseStore store) implements StoreUnderTest {

        @Override
        public void pass(Duration span) {
            settle();
            virtual.advance(span);
            settle();
        }

        @Override
        public Time time() {
            return virtual;
        }

        @Override
        public long nanos() {
            return virtual.nanos();
        }

        /** A listing is answered when everything that was decided before it is on disk. */
        @Override
        public void settle() {
            LeaseStore any = store;
            var unused = any.list(LeaseQuery.all()).toCompletableFuture().join();
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
