// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The page about the remote engine, and the quick start. */
final class RemoteStores {

    private final List<String> entries = new ArrayList<>();
    private final MemoryGuard<List<String>> ledger = MemoryGuard.around("ledger 42", entries);

    List<String> quickStart(String uri, String entry) {
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(uri); // "leasehold://127.0.0.1"
                Leasehold leasehold = Leasehold.on(store)) {
            FencedLock lock = leasehold.lock("ledger/42"); // a lease of 30 s, renewed until closed
            try (Lease lease = lock.acquire(Duration.ofSeconds(5))) { // waits at most 5 s
                ledger.write(lease.token(), entries -> entries.add(entry)); // not if it is stale
            }
        }
        return entries;
    }

    FencingToken run(String uri) {
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(uri); // "leasehold://locks.example"
                Leasehold leasehold = Leasehold.on(store)) {
            FencedLock lock = leasehold.lock("ledger/42");
            try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
                return book(lease.token());
            }
        }
    }

    RemoteLeaseStore careful(String uri, String token) {
        RemoteOptions options = RemoteOptions.at(uri) // "leaseholds://locks.example/orders"
                .trusting(Path.of("ca.pem")) // not the JVM's trust store
                .withCertificate(Path.of("me.pem"), Path.of("me.key")) // if the server asks for one
                .withToken(token) // or this
                .withPatience(Duration.ofSeconds(2));
        RemoteLeaseStore store = RemoteLeaseStore.connect(options);
        return store;
    }

    private static FencingToken book(FencingToken token) {
        return token;
    }
}
