// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** etcd's own locks by jetcd, each with a lease of its own: what a holder that may die needs. */
final class EtcdLocks implements LockClient {

    private final Client client;

    private EtcdLocks(Client client) {
        this.client = client;
    }

    static LockClient connect(URI server) {
        return new EtcdLocks(Client.builder().endpoints(server).build());
    }

    @Override
    public NamedLock lock(String name) {
        ByteSequence key = ByteSequence.from(name, StandardCharsets.UTF_8);
        return new NamedLock() {
            private long lease;

            @Override
            public void acquire() {
                lease = join(client.getLeaseClient().grant(Requests.TTL.toSeconds()))
                        .getID();
                Object unused = join(client.getLockClient().lock(key, lease));
            }

            /** The key goes with its lease. */
            @Override
            public void release() {
                Object unused = join(client.getLeaseClient().revoke(lease));
            }
        };
    }

    private static <T> T join(CompletableFuture<T> answer) {
        return answer.join();
    }

    @Override
    public void close() {
        client.close();
    }
}
