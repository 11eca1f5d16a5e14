// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.table.TableOptions;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Where the Redis of a store is and how it is used. Made complete by {@link #at} and varied by the
 * {@code with…} methods. Immutable.
 *
 * @param uri {@code redis://[user:password@]host[:port][/database]}, {@code rediss://…} for TLS,
 *     {@code redis-sentinel://host[:port],host2[:port2][/database]#primary}, or {@code
 *     redis-cluster://host[:port],host2[:port2]} ({@code rediss-cluster://…} for TLS)
 * @param namespace the unit of token order; all its keys begin with {@code leasehold:{namespace}}.
 *     Letters, digits and {@code . _ - /}
 * @param bounds how much is kept; all clients of a namespace should agree
 * @param replicas how many replicas must have a grant, a rotation or a renewal before it counts; 0
 *     asks none
 * @param patience how long to wait for a connection or an answer
 * @param strict refuse to work with a server whose settings let it forget leases
 */
public record RedisOptions(
        String uri,
        String namespace,
        TableOptions bounds,
        int replicas,
        Duration patience,
        boolean strict) {

    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._/-]{1,128}");
    private static final int MAX_REPLICAS = 100;

    public RedisOptions {
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException(
                    "a namespace has 1 to 128 letters, digits and . _ - /");
        }
        if (replicas < 0 || replicas > MAX_REPLICAS) {
            throw new IllegalArgumentException(
                    replicas + " replicas; it must be 0 to " + MAX_REPLICAS);
        }
        if (patience.compareTo(Duration.ofMillis(10)) < 0
                || patience.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "patience " + patience + " is not within 10 ms to 1 min");
        }
    }

    /** The namespace {@code default} of the Redis there, with the usual bounds. */
    public static RedisOptions at(String uri) {
        return new RedisOptions(
                uri, "default", TableOptions.defaults(), 0, Duration.ofSeconds(5), false);
    }

    public RedisOptions withNamespace(String changed) {
        return new RedisOptions(uri, changed, bounds, replicas, patience, strict);
    }

    public RedisOptions withBounds(TableOptions changed) {
        return new RedisOptions(uri, namespace, changed, replicas, patience, strict);
    }

    /** The same, but a grant that fewer replicas have in time is taken back and not returned. */
    public RedisOptions withReplicas(int changed) {
        return new RedisOptions(uri, namespace, bounds, changed, patience, strict);
    }

    public RedisOptions withPatience(Duration changed) {
        return new RedisOptions(uri, namespace, bounds, replicas, changed, strict);
    }

    /** The same, but refusing settings that let the server forget leases. */
    public RedisOptions strictly() {
        return new RedisOptions(uri, namespace, bounds, replicas, patience, true);
    }

    /** Without the URI, which may hold a password. */
    @Override
    public String toString() {
        return "RedisOptions[namespace=" + namespace + ", bounds=" + bounds + ", replicas="
                + replicas + ", patience=" + patience + ", strict=" + strict + "]";
    }
}
