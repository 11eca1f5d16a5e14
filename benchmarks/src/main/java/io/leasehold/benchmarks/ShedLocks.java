// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.jedis4.JedisLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.util.Pool;

/** ShedLock does not wait: whoever wants to has to try again and again. */
final class ShedLocks implements LockClient {

    private final LockProvider provider;
    private final Runnable end;

    private ShedLocks(LockProvider provider, Runnable end) {
        this.provider = provider;
        this.end = end;
    }

    /** A connection for each thread. */
    static LockClient onJedis(URI server, int threads) {
        JedisPoolConfig config = new JedisPoolConfig();
        config.setMaxTotal(threads);
        config.setMaxIdle(threads);
        Pool<Jedis> pool = new JedisPool(config, server);
        return new ShedLocks(new JedisLockProvider(pool), pool::close);
    }

    /** One connection of Lettuce for all. */
    static LockClient onSpring(URI server, int threads) {
        LettuceConnectionFactory connections = SpringLocks.connections(server);
        return new ShedLocks(new RedisLockProvider(connections), connections::destroy);
    }

    @Override
    public NamedLock lock(String name) {
        return new Spinning(name);
    }

    @Override
    public void close() {
        end.run();
    }

    private final class Spinning implements NamedLock {

        private final String name;
        private @Nullable SimpleLock held;

        Spinning(String name) {
            this.name = name;
        }

        @Override
        public void acquire() {
            Optional<SimpleLock> taken = attempt();
            while (taken.isEmpty()) {
                taken = attempt();
            }
            held = taken.get();
        }

        private Optional<SimpleLock> attempt() {
            return provider.lock(
                    new LockConfiguration(ClockProvider.now(), name, Requests.TTL, Duration.ZERO));
        }

        @Override
        public void release() {
            SimpleLock lock = held;
            if (lock == null) {
                throw new IllegalStateException(name + " is not held");
            }
            held = null;
            lock.unlock();
        }
    }
}
