// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is known of a server, as far as it may be asked.
 *
 * @param name its name and version
 * @param durable whether it has every change on disk before it answers
 * @param caveats what in its settings lets it forget leases, for people
 */
record Server(String name, boolean durable, List<String> caveats) {

    private static final int OLDEST = 6;
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\..*");

    Server {
        caveats = List.copyOf(caveats);
    }

    static CompletionStage<Server> ask(Link link) {
        return info(link, "server")
                .thenCompose(server -> info(link, "replication")
                        .thenCompose(replication -> settings(link)
                                .thenApply(settings -> of(
                                        values(server),
                                        values(replication),
                                        settings,
                                        link.isCluster()))));
    }

    /** A section; nothing where the user may not read it. */
    private static CompletionStage<String> info(Link link, String section) {
        return link.info(section).exceptionally(error -> unlessForbidden(error, ""));
    }

    /** The substitute for what the server refused to tell. Any other failure is one. */
    private static <T> T unlessForbidden(Throwable error, T substitute) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        if (cause instanceof RedisCommandExecutionException) {
            return substitute;
        }
        throw Failures.of(error);
    }

    /** The settings that matter; none where the user may not read them. */
    private static CompletionStage<Map<String, String>> settings(Link link) {
        CompletableFuture<Map<String, String>> memory =
                link.settings("maxmemory*").toCompletableFuture();
        CompletableFuture<Map<String, String>> files =
                link.settings("append*").toCompletableFuture();
        return memory.thenCombine(files, (first, second) -> {
                    Map<String, String> all = new HashMap<>(first);
                    all.putAll(second);
                    return all;
                })
                .exceptionally(error -> unlessForbidden(error, Map.of()));
    }

    private static Server of(
            Map<String, String> server,
            Map<String, String> replication,
            Map<String, String> settings,
            boolean cluster) {
        String valkey = server.get("valkey_version");
        String version = server.getOrDefault("redis_version", "of an unknown version");
        Matcher matcher = VERSION.matcher(version);
        if (matcher.matches() && Integer.parseInt(matcher.group(1)) < OLDEST) {
            throw new StoreUnavailableException("this is Redis " + version + ", which is too old: "
                    + OLDEST + ".0 is the oldest that will do");
        }
        boolean always = "yes".equals(settings.get("appendonly"))
                && "always".equals(settings.get("appendfsync"));
        return new Server(
                valkey == null ? "Redis " + version : "Valkey " + valkey,
                always,
                caveats(settings, mayFailOver(replication, cluster)));
    }

    /** Whether replicas may take over. A cluster was asked anywhere, so it is taken to have some. */
    private static boolean mayFailOver(Map<String, String> replication, boolean cluster) {
        return cluster
                || !replication.getOrDefault("connected_slaves", "0").equals("0")
                || replication.getOrDefault("role", "").equals("slave");
    }

    private static List<String> caveats(Map<String, String> settings, boolean mayFailOver) {
        List<String> caveats = new ArrayList<>();
        if (settings.isEmpty()) {
            caveats.add("the settings of the server can't be read: permit CONFIG GET to have them"
                    + " checked");
        } else {
            addCaveats(settings, caveats);
        }
        if (mayFailOver) {
            caveats.add("replication is asynchronous: a fail-over may forget the last leases");
        }
        return caveats;
    }

    private static void addCaveats(Map<String, String> settings, List<String> caveats) {
        String policy = settings.getOrDefault("maxmemory-policy", "");
        // the other policies evict only keys that have a time to live, which none of ours has
        if (!"0".equals(settings.get("maxmemory")) && policy.startsWith("allkeys")) {
            caveats.add("maxmemory-policy is " + policy
                    + ": leases may be evicted; set it to noeviction");
        }
        if (!"yes".equals(settings.get("appendonly"))) {
            caveats.add("appendonly is off: a restart forgets all leases; set it to yes");
        } else if (!"always".equals(settings.get("appendfsync"))) {
            caveats.add("appendfsync is " + settings.get("appendfsync")
                    + ": a crash may forget the last leases; set it to always");
        }
    }

    /** Whether leases may be forgotten while the server itself is well. */
    boolean mayForget() {
        return !caveats.stream().allMatch(caveat -> caveat.startsWith("replication"));
    }

    private static Map<String, String> values(String info) {
        Map<String, String> values = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return values;
    }
}
