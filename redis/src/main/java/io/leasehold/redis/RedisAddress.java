// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.lettuce.core.RedisURI;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where to connect to.
 *
 * @param uris one server, one set of sentinels, or any nodes of a cluster
 * @param cluster whether it is a cluster
 */
record RedisAddress(List<RedisURI> uris, boolean cluster) {

    private static final String CLUSTER = "redis-cluster://";
    private static final String SECURE_CLUSTER = "rediss-cluster://";
    private static final Pattern NODES = Pattern.compile("([^/?#]+)/?((?:\\?.*)?)");

    /** Reads a URI. The error of a malformed one does not repeat it, as it may hold a password. */
    static RedisAddress of(String uri) {
        try {
            if (uri.startsWith(CLUSTER)) {
                return cluster("redis://", uri.substring(CLUSTER.length()));
            } else if (uri.startsWith(SECURE_CLUSTER)) {
                return cluster("rediss://", uri.substring(SECURE_CLUSTER.length()));
            }
            return new RedisAddress(List.of(read(uri)), false);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "not the URI of a Redis: it looks like redis://[user:password@]host[:port],"
                            + " rediss://…, redis-sentinel://host,host2#primary or"
                            + " redis-cluster://host,host2");
        }
    }

    /** Reads one URI. The library takes a port that is no number to be part of the host. */
    private static RedisURI read(String text) {
        RedisURI uri = RedisURI.create(text);
        String host = uri.getHost();
        if (host != null && host.contains(":") && !host.startsWith("[")) {
            throw new IllegalArgumentException("a host with a colon");
        }
        return uri;
    }

    /** One URI for each node, all with the same user, password and parameters. */
    private static RedisAddress cluster(String scheme, String rest) {
        int at = rest.lastIndexOf('@');
        String credentials = rest.substring(0, at + 1);
        Matcher matcher = NODES.matcher(rest.substring(at + 1));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no node");
        }
        List<RedisURI> uris = new ArrayList<>();
        for (String node : matcher.group(1).split(",", -1)) {
            uris.add(read(scheme + credentials + node + matcher.group(2)));
        }
        return new RedisAddress(List.copyOf(uris), true);
    }
}
