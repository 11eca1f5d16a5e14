// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.lettuce.core.RedisURI;

import java.util.ArrayList;
import java.util.List;

/**
 * Where to connect to.
 *
 * @param uris one server, one set of sentinels, or any nodes of a cluster
 * @param cluster whether it is a cluster
 */
record RedisAddress(List<RedisURI> uris, boolean cluster) {

    private static final String CLUSTER = "redis-cluster://";
    private static final String SECURE_CLUSTER = "rediss-cluster://";

    /** Reads a URI. The error of a malformed one does not repeat it, as it may hold a password. */
    static RedisAddress of(String uri) {
        try {
            if (uri.startsWith(CLUSTER)) {
                return cluster("redis://", uri.substring(CLUSTER.length()));
            } else if (uri.startsWith(SECURE_CLUSTER)) {
                return cluster("rediss://", uri.substring(SECURE_CLUSTER.length()));
            }
            return new RedisAddress(List.of(RedisURI.create(uri)), false);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "not the URI of a Redis: it looks like redis://[user:password@]host[:port],"
                            + " rediss://…, redis-sentinel://host,host2#primary or"
                            + " redis-cluster://host,host2");
        }
    }

    /** One URI for each node, all with the same user and password. */
    private static RedisAddress cluster(String scheme, String rest) {
        int at = rest.lastIndexOf('@');
        String credentials = rest.substring(0, at + 1);
        List<RedisURI> uris = new ArrayList<>();
        for (String node : rest.substring(at + 1).split(",", -1)) {
            uris.add(RedisURI.create(scheme + credentials + node));
        }
        return new RedisAddress(List.copyOf(uris), true);
    }
}
