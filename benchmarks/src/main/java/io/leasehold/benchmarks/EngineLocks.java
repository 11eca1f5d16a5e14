// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.model.Claim;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * An engine of ours by its SPI alone.
 *
 * @param store closed with it
 */
record EngineLocks(LeaseStore store) implements LockClient {

    EngineLocks {
        // each of its callers waits for the answer
        store = store.forWaitingCallers();
    }

    @Override
    public NamedLock lock(String name) {
        Claim claim = Claim.exclusive(Scope.name(name));
        Requests requests = Requests.waiting(ThreadLocalRandom.current().nextLong());
        return new NamedLock() {
            private @Nullable Grant held;

            @Override
            public void acquire() {
                held = Answers.granted(store.acquire(requests.next(claim)));
            }

            @Override
            public void release() {
                Grant grant = held;
                if (grant == null) {
                    throw new IllegalStateException(name + " is not held");
                }
                held = null;
                Ending unused = Answers.ended(store.release(grant));
            }
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
