// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.net.URI;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** The lock registry of Spring Integration on Lettuce, whose waiters listen rather than poll. */
final class SpringLocks implements LockClient {

    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    private SpringLocks(URI server) {
        connections = connections(server);
        registry = new RedisLockRegistry(connections, "spring", Requests.TTL);
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    }

    static LockClient connect(URI server, int threads) {
        return new SpringLocks(server);
    }

    /** One connection for all, to be destroyed. */
    static LettuceConnectionFactory connections(URI server) {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(server.getHost(), server.getPort());
        factory.afterPropertiesSet();
        factory.start();
        return factory;
    }

    @Override
    public NamedLock lock(String name) {
        Lock lock = registry.obtain(name);
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
        registry.destroy();
        connections.destroy();
    }
}
