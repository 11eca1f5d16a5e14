// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The guard of data in Redis or Valkey, from 6.2 on. A mark is a key of its own in the slot of the
 * data, and one script changes both. Holds nothing but the connection. Thread-safe.
 *
 * <p>A mark lives as long as the server remembers it: {@link #warnings()} tells what in its
 * settings could make it forget.
 */
public final class RedisGuard implements AutoCloseable {

    private static final Logger LOG = System.getLogger(RedisGuard.class.getName());

    private final ScriptRunner scripts;
    private final Runnable close;

    private RedisGuard(ScriptRunner scripts, Runnable close) {
        this.scripts = scripts;
        this.close = close;
    }

    /**
     * A guard with a connection of its own, standalone or by Sentinel, which sends nothing twice.
     * What the server's settings could make it forget is logged as warnings.
     *
     * @param uri as in {@code redis://password@host:6379/0?timeout=5s}; the timeout is how long a
     *     write waits for its answer
     * @throws StoreUnavailableException if there is no such server
     * @throws RedisGuardException if it does not let us in
     */
    public static RedisGuard connect(String uri) {
        OwnConnection connection = OwnConnection.open(RedisURI.create(uri));
        RedisGuard guard = new RedisGuard(connection, connection::close);
        guard.logWarnings();
        return guard;
    }

    private void logWarnings() {
        try {
            warnings().forEach(warning -> LOG.log(Level.WARNING, warning));
        } catch (RedisGuardException | LeaseholdException e) {
            LOG.log(Level.WARNING, "whether the server could forget marks is not known", e);
        }
    }

    /**
     * A guard on the caller's connection, whatever its codec. It stays open when the guard is
     * closed.
     */
    public static RedisGuard on(StatefulRedisConnection<?, ?> connection) {
        return with(new LettuceRunner(connection));
    }

    /** A guard on the caller's connection to a cluster, whatever its codec. */
    public static RedisGuard on(StatefulRedisClusterConnection<?, ?> connection) {
        return with(new LettuceRunner(connection));
    }

    /** A guard on another client of Redis. */
    public static RedisGuard with(ScriptRunner scripts) {
        return new RedisGuard(scripts, () -> {});
    }

    /**
     * One key, as a resource of its own. The mark of {@code orders:42} is {@code
     * {orders:42}:fence}; the mark of a key with a hash tag, {@code {user7}:cart}, is {@code
     * {user7}:cart:fence}.
     *
     * @throws IllegalArgumentException if the key is empty, or has a brace without being tagged
     */
    public FencedKey key(String key) {
        MarkKey mark = MarkKey.beside(key);
        return new FencedKey(key, new FencedKeys(scripts, Scope.name(key), mark));
    }

    /**
     * The keys of the named resource, which carry its name as their hash tag: for {@code ledger/42}
     * the mark is {@code {ledger/42}:fence}, and {@code {ledger/42}:balance} is a key of it.
     */
    public FencedKeys keys(String resource) {
        return new FencedKeys(scripts, Scope.name(resource), MarkKey.beside(resource));
    }

    /**
     * The keys of a resource whose mark is at the given key. They must be in its slot.
     *
     * @param markKey a key that nothing else uses, such as {@code {user7}:fence}
     */
    public FencedKeys keys(Scope resource, String markKey) {
        return new FencedKeys(scripts, resource, MarkKey.at(markKey));
    }

    /**
     * What in the server's settings could make it forget a mark, in sentences; empty if nothing
     * could. Asks the server, of a cluster one node.
     */
    public List<String> warnings() {
        return Settings.read(scripts).warnings();
    }

    /** Closes the connection if the guard made it. */
    @Override
    public void close() {
        close.run();
    }
}
