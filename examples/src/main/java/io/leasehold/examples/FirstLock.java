// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The README's first screen. */
final class FirstLock {

    private final List<String> ledger = new ArrayList<>();
    private final MemoryGuard<List<String>> guard = MemoryGuard.around("ledger 42", ledger);

    List<String> run(String entry) {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {

            FencedLock lock = leasehold.lock("ledger/42"); // a lease of 30 s, renewed until closed

            try (Lease lease = lock.acquire(Duration.ofSeconds(5))) { // waits at most 5 s
                guard.write(lease.token(), ledger -> ledger.add(entry)); // refuses a stale holder
            }

            boolean ran = lock.tryUse(lease -> reindex(lease.token())); // busy: skip
            assert ran;
        }
        return ledger;
    }

    private void reindex(FencingToken token) {
        guard.write(token, ledger -> ledger.sort(null));
    }
}
