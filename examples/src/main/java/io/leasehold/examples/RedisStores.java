// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.model.FencingToken;
import io.leasehold.redis.RedisLeaseStore;
import io.leasehold.redis.RedisOptions;

import java.time.Duration;

/** The page about the Redis engine. */
final class RedisStores {

    FencingToken run(String uri) {
        try (RedisLeaseStore store = RedisLeaseStore.connect(uri); // "redis://cache:6379"
                Leasehold leasehold = Leasehold.on(store)) {
            FencedLock lock = leasehold.lock("ledger/42");
            try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
                return book(lease.token()); // above every token before, restarts included
            }
        }
    }

    RedisLeaseStore careful(String uri) {
        RedisOptions options = RedisOptions.at(uri)
                .withNamespace("orders") // "default" if not said
                .withReplicas(1) // a grant counts when a replica has it
                .withPatience(Duration.ofSeconds(2)) // for a connection, an answer, the replicas
                .strictly(); // not on a server whose settings let it forget
        return RedisLeaseStore.connect(options);
    }

    private static FencingToken book(FencingToken token) {
        return token;
    }
}
