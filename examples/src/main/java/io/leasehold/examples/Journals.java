// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.model.FencingToken;

import java.nio.file.Path;
import java.time.Duration;

/** The page about the journal engine, and that about its operation. */
final class Journals {

    FencingToken run() {
        try (JournalLeaseStore store = JournalLeaseStore.open(Path.of("leasehold-data"));
                Leasehold leasehold = Leasehold.on(store)) {
            FencedLock lock = leasehold.lock("ledger/42");
            try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
                return book(lease.token()); // above every token before, restarts included
            }
        }
    }

    JournalLeaseStore restored(Path directory) {
        return JournalLeaseStore.open(
                directory, JournalOptions.defaults().restored(Duration.ofMinutes(5)));
    }

    private static FencingToken book(FencingToken token) {
        return token;
    }
}
