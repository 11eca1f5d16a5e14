// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A client with one connection, which sends nothing twice. Thread-safe. */
final class OwnConnection implements ScriptRunner, AutoCloseable {

    private static final int ATTEMPTS = 5;
    private static final Set<String> CLOSED_EARLY =
            Set.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

    private final RedisClient client;
    private final ScriptRunner connection;
    private final AtomicBoolean closed = new AtomicBoolean();

    private OwnConnection(RedisClient client, ScriptRunner connection) {
        this.client = client;
        this.connection = connection;
    }

    static OwnConnection open(RedisURI address) {
        RedisClient client = RedisClient.create();
        try {
            client.setOptions(atMostOnce());
            return new OwnConnection(client, new LettuceRunner(connect(client, address)));
        } catch (RedisException e) {
            shutDown(client);
            throw notConnected(address, e);
        }
    }

    /**
     * When a server refuses the password, Lettuce closes the connection, and now and then reports
     * the closing, or that it finds the closed connection without its handlers, instead of the
     * refusal. So a connection that closes early is tried again, to learn why.
     */
    private static StatefulRedisConnection<byte[], byte[]> connect(
            RedisClient client, RedisURI address) {
        for (int attempt = 1; ; attempt++) {
            try {
                return client.connect(ByteArrayCodec.INSTANCE, address);
            } catch (RedisConnectionException e) {
                if (attempt == ATTEMPTS
                        || !CLOSED_EARLY.contains(String.valueOf(root(e).getMessage()))) {
                    throw e;
                }
            }
        }
    }

    /**
     * By default Lettuce sends again after a reconnect what may have run already, and a counter
     * counts twice. This way it fails what is on its way when the connection breaks, and whatever
     * comes before there is another.
     */
    private static ClientOptions atMostOnce() {
        return ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build();
    }

    /** The server may have answered, with a refusal: of the password, for one. */
    private static RuntimeException notConnected(RedisURI address, RedisException e) {
        Throwable cause = root(e);
        return cause instanceof RedisCommandExecutionException
                ? RedisGuardException.refused(String.valueOf(cause.getMessage()), e)
                : new StoreUnavailableException(
                        "no connection to " + address + ": " + cause.getMessage(), e);
    }

    private static Throwable root(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    @Override
    public Object run(Script script, List<byte[]> keys, List<byte[]> arguments) {
        if (closed.get()) {
            throw new IllegalStateException("the guard is closed");
        }
        return connection.run(script, keys, arguments);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            shutDown(client);
        }
    }

    private static void shutDown(RedisClient client) {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
