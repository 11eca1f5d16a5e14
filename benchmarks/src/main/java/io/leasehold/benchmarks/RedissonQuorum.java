// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.net.URI;
import java.util.List;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Redisson's locks over several servers. */
final class RedissonQuorum implements LockClient {

    private final List<RedissonClient> clients;
    private final String prefix;
    private final Function<RLock[], RLock> together;

    private RedissonQuorum(
            List<URI> servers, int threads, String prefix, Function<RLock[], RLock> together) {
        this.clients = servers.stream()
                .map(server -> Redisson.create(RedissonLocks.config(server, threads)))
                .toList();
        this.prefix = prefix;
        this.together = together;
    }

    /** A majority of the servers has to agree. */
    @SuppressWarnings("deprecation") // people use it
    static LockClient redLock(List<URI> servers, int threads) {
        return new RedissonQuorum(servers, threads, "red:", RedissonRedLock::new);
    }

    /** All servers have to agree. */
    static LockClient multiLock(List<URI> servers, int threads) {
        return new RedissonQuorum(servers, threads, "multi:", RedissonMultiLock::new);
    }

    @Override
    public NamedLock lock(String name) {
        RLock lock = together.apply(clients.stream()
                .map(client -> client.getLock(prefix + name))
                .toArray(RLock[]::new));
        return new NamedLock() {
            @Override
            public void acquire() {
                lock.lock();
            }

            @Override
            public void release() {
                lock.unlock();
            }
        };
    }

    @Override
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
