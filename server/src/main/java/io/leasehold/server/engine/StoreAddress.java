// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * Where leases are kept: {@code memory}, {@code journal:DIR}, {@code redis://…}, {@code
 * quorum:redis://a,redis://b,…} or, for the first start of one, {@code new-quorum:…}. Immutable.
 */
public sealed interface StoreAddress {

    /** What the address of a quorum begins with. */
    String QUORUM = "quorum:";

    /** The same, of nodes that have never served it. */
    String NEW_QUORUM = "new-quorum:";

    /** In the server's memory: gone when it ends. */
    record Memory() implements StoreAddress {
        @Override
        public String toString() {
            return "memory";
        }
    }

    /**
     * In a journal on this machine's disk.
     *
     * @param directory below which each namespace has a directory of its own
     */
    record Journal(Path directory) implements StoreAddress {
        @Override
        public String toString() {
            return "journal:" + directory;
        }
    }

    /**
     * In Redis.
     *
     * @param uri as {@link io.leasehold.redis.RedisOptions} takes it
     */
    record Redis(String uri) implements StoreAddress {
        @Override
        public String toString() {
            return withoutPassword(uri);
        }
    }

    /**
     * In a quorum of independent Redis.
     *
     * @param uris of its nodes, an odd number of at least three
     * @param isNew see {@link io.leasehold.quorum.QuorumOptions#asNew}
     */
    record Quorum(List<String> uris, boolean isNew) implements StoreAddress {
        public Quorum {
            uris = List.copyOf(uris);
        }

        @Override
        public String toString() {
            return (isNew ? NEW_QUORUM : QUORUM)
                    + String.join(
                            ",",
                            uris.stream().map(StoreAddress::withoutPassword).toList());
        }
    }

    /**
     * Reads an address. Errors repeat at most its scheme, for it may hold a password.
     *
     * @throws IllegalArgumentException if it is none
     */
    static StoreAddress parse(String text) {
        if (text.equals("memory")) {
            return new Memory();
        } else if (text.startsWith("journal:")) {
            return journal(text.substring("journal:".length()));
        } else if (isRedis(text)) {
            return new Redis(text);
        } else if (text.startsWith(QUORUM)) {
            return quorum(text.substring(QUORUM.length()), false);
        } else if (text.startsWith(NEW_QUORUM)) {
            return quorum(text.substring(NEW_QUORUM.length()), true);
        }
        throw new IllegalArgumentException("a store is memory, journal:DIR, redis://HOST[:PORT] or"
                + " quorum:redis://A,redis://B,redis://C" + scheme(text));
    }

    private static Journal journal(String directory) {
        if (directory.isBlank()) {
            throw new IllegalArgumentException("journal: names no directory: journal:DIR");
        }
        try {
            return new Journal(Path.of(directory));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("journal: " + e.getReason(), e);
        }
    }

    private static Quorum quorum(String text, boolean isNew) {
        List<String> uris = List.of(text.split(",", -1));
        for (String uri : uris) {
            if (!uri.startsWith("redis://")) {
                throw new IllegalArgumentException(
                        "a node of a quorum is a single server without TLS: redis://HOST[:PORT]");
            }
        }
        if (uris.size() < 3 || uris.size() % 2 == 0) {
            throw new IllegalArgumentException(
                    "a quorum of " + uris.size() + " nodes; it takes 3, 5 or another odd number");
        }
        if (List.copyOf(uris).stream().distinct().count() < uris.size()) {
            throw new IllegalArgumentException("a node of the quorum is named twice");
        }
        return new Quorum(uris, isNew);
    }

    private static boolean isRedis(String text) {
        int colon = text.indexOf("://");
        return colon > 0
                && List.of(
                                "redis",
                                "rediss",
                                "redis-sentinel",
                                "rediss-sentinel",
                                "redis-cluster",
                                "rediss-cluster")
                        .contains(text.substring(0, colon))
                && text.length() > colon + "://".length();
    }

    private static String scheme(String text) {
        int colon = text.indexOf(':');
        return colon > 0 && colon <= 20 ? ", not \"" + text.substring(0, colon) + ":…\"" : "";
    }

    private static String withoutPassword(String uri) {
        int at = uri.lastIndexOf('@');
        int authority = uri.indexOf("://");
        return at < 0 || authority < 0
                ? uri
                : uri.substring(0, authority + "://".length()) + "…" + uri.substring(at);
    }
}
