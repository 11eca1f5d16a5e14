// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.net.URI;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks, kept alive by its watchdog as they are unless told otherwise. */
final class RedissonLocks implements LockClient {

    private static final int FEW = 2;

    private final RedissonClient client;
    private final BiFunction<RedissonClient, String, NamedLock> locks;

    private RedissonLocks(
            RedissonClient client, BiFunction<RedissonClient, String, NamedLock> locks) {
        this.client = client;
        this.locks = locks;
    }

    static LockClient plain(URI server, int threads) {
        return new RedissonLocks(
                Redisson.create(config(server, threads)),
                (client, name) -> blocking(client.getLock("redisson:" + name)));
    }

    static LockClient fenced(URI server, int threads) {
        return new RedissonLocks(
                Redisson.create(config(server, threads)),
                (client, name) -> fenced(client.getFencedLock("redisson-fenced:" + name)));
    }

    static LockClient fair(URI server, int threads) {
        return new RedissonLocks(
                Redisson.create(config(server, threads)),
                (client, name) -> blocking(client.getFairLock("redisson-fair:" + name)));
    }

    /** As it comes, but that a client of one thread gets few threads and connections. */
    static Config config(URI server, int threads) {
        Config config = new Config();
        config.useSingleServer().setAddress(server.toString());
        if (threads == 1) {
            config.setThreads(FEW).setNettyThreads(FEW);
            config.useSingleServer()
                    .setConnectionMinimumIdleSize(1)
                    .setConnectionPoolSize(FEW)
                    .setSubscriptionConnectionPoolSize(FEW);
        }
        return config;
    }

    private static NamedLock blocking(RLock lock) {
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

    private static NamedLock fenced(RFencedLock lock) {
        return new NamedLock() {
            @Override
            public void acquire() {
                Long unused = lock.lockAndGetToken();
            }

            @Override
            public void release() {
                lock.unlock();
            }
        };
    }

    @Override
    public NamedLock lock(String name) {
        return locks.apply(client, name);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
