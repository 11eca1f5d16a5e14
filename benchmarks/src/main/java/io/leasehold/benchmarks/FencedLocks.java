// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.spi.LeaseStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Our own locks as users have them, on some engine. */
final class FencedLocks implements LockClient {

    private static final Duration WAIT = Duration.ofMinutes(1);

    private final Leasehold leasehold;

    /** Closes the store when it is closed itself. */
    FencedLocks(LeaseStore store) {
        leasehold = Leasehold.on(store);
    }

    @Override
    public NamedLock lock(String name) {
        FencedLock lock = leasehold.lock(name);
        return new NamedLock() {
            private @Nullable Lease held;

            @Override
            public void acquire() {
                held = lock.acquire(WAIT);
            }

            @Override
            public void release() {
                Lease lease = held;
                if (lease == null) {
                    throw new IllegalStateException(name + " is not held");
                }
                held = null;
                lease.close();
            }
        };
    }

    @Override
    public void close() {
        leasehold.close();
    }
}
