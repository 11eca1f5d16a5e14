// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.StoreUnavailableException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
        return link.info("server")
                .thenCompose(server -> link.info("replication")
                        .thenCompose(replication -> settings(link)
                                .thenApply(settings ->
                                        of(values(server), values(replication), settings))));
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
                .exceptionally(error -> Map.of());
    }

    private static Server of(
            Map<String, String> server,
            Map<String, String> replication,
            Map<String, String> settings) {
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
                caveats(replication, settings));
    }

    private static List<String> caveats(
            Map<String, String> replication, Map<String, String> settings) {
        if (settings.isEmpty()) {
            return List.of("the settings of the server can't be read: CONFIG is not permitted");
        }
        List<String> caveats = new ArrayList<>();
        String policy = settings.getOrDefault("maxmemory-policy", "");
        // other policies evict only what has a time to live, and nothing of ours has one
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
        if (!"0".equals(replication.getOrDefault("connected_slaves", "0"))) {
            caveats.add("replication is asynchronous: a fail-over may forget the last leases");
        }
        return caveats;
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
