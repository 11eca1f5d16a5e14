// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;

/** A fenced lock by hand: a script to acquire and one to release, on one connection for all. */
final class LettuceLocks implements LockClient {

    private static final String TTL_MILLIS = Long.toString(Requests.TTL.toMillis());

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final String acquire;
    private final String release;

    private LettuceLocks(URI server) {
        client = RedisClient.create(server.toString());
        connection = client.connect();
        redis = connection.sync();
        acquire = redis.scriptLoad(script("acquire"));
        release = redis.scriptLoad(script("release"));
    }

    static LockClient connect(URI server, int threads) {
        return new LettuceLocks(server);
    }

    /** The text of a script of ours. */
    static String script(String name) {
        String file = name + ".lua";
        try (InputStream text =
                Objects.requireNonNull(LettuceLocks.class.getResourceAsStream(file), file)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public NamedLock lock(String name) {
        String[] lock = {"lettuce:" + name};
        String[] lockAndTokens = {lock[0], "lettuce-tokens"};
        String id = UUID.randomUUID().toString();
        return new NamedLock() {
            @Override
            public void acquire() {
                Long token = redis.evalsha(
                        acquire, ScriptOutputType.INTEGER, lockAndTokens, id, TTL_MILLIS);
                if (token == null) {
                    throw new IllegalStateException(name + " is taken");
                }
            }

            @Override
            public void release() {
                Long released = redis.evalsha(release, ScriptOutputType.INTEGER, lock, id);
                if (!Objects.equals(released, 1L)) {
                    throw new IllegalStateException(name + " was lost");
                }
            }
        };
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
