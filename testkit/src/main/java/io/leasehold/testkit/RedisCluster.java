// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of three primaries, with or without replicas, in which slots can be moved and replicas can take over.
 * Ends when it is closed. Thread-safe, but changes of it must not overlap.
 */
public final class RedisCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PRIMARIES = 3;
    private static final int SLOTS = 16_384;

    private final List<RedisServer> nodes = new ArrayList<>();
    private final Optional<String> password;

    private RedisCluster(List<String> settings) {
        password = RedisSetup.password(settings);
    }

    /** Starts one from the bundled program, without replicas. */
    public static RedisCluster start(String... settings) {
        return start(RedisBinary.bundled(), 0, settings);
    }

    /** Starts one with so many replicas of each primary. */
    public static RedisCluster start(RedisBinary binary, int replicas, String... settings) {
        RedisCluster cluster = new RedisCluster(List.of(settings));
        try {
            List<String> all = RedisSetup.amongEquals(
                    List.of(settings), "cluster-enabled yes", "cluster-node-timeout 2000");
            for (int i = 0; i < PRIMARIES * (1 + replicas); i++) {
                cluster.nodes.add(RedisServer.start(RedisSetup.of(binary, all)));
            }
            cluster.join();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void join() {
        for (int i = 0; i < PRIMARIES; i++) {
            nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (int slot = SLOTS * i / PRIMARIES; slot < SLOTS * (i + 1) / PRIMARIES; slot++) {
                words.add(Integer.toString(slot));
            }
            nodes.get(i).command(words.toArray(String[]::new));
        }
        for (RedisServer node : nodes) {
            node.command(
                    "CLUSTER",
                    "MEET",
                    "127.0.0.1",
                    Integer.toString(nodes.get(0).port()));
        }
        awaitHealth();
        for (int i = PRIMARIES; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", id(nodes.get(i % PRIMARIES)));
        }
        for (int i = PRIMARIES; i < nodes.size(); i++) {
            nodes.get(i).awaitReplication(nodes.get(i % PRIMARIES));
        }
        for (int i = 0; i < PRIMARIES; i++) {
            int slot = SLOTS * i / PRIMARIES;
            awaitAgreement(
                    node -> served(node, slot).size() == nodes.size() / PRIMARIES,
                    "who the replicas are");
        }
    }

    /** Waits until every running node sees it so. */
    private void awaitAgreement(Predicate<RedisServer> view, String about) {
        Poll.until(
                PATIENCE,
                () -> nodes.stream().filter(RedisServer::isRunning).allMatch(view),
                () -> "the nodes do not agree on " + about + ": "
                        + anyNode().command("CLUSTER", "NODES"));
    }

    /** Waits until every running node knows all others and sees every slot served. */
    public void awaitHealth() {
        awaitAgreement(this::isContent, "a healthy cluster");
    }

    private boolean isContent(RedisServer node) {
        Map<String, String> state = Replies.fields(node.command("CLUSTER", "INFO"));
        return "ok".equals(state.get("cluster_state"))
                && Integer.toString(nodes.size()).equals(state.get("cluster_known_nodes"))
                && Integer.toString(SLOTS).equals(state.get("cluster_slots_ok"));
    }

    /** All nodes; the three first ones were the primaries at the start. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /** Where clients find the nodes. */
    public List<String> uris() {
        return nodes.stream().map(RedisServer::uri).toList();
    }

    /** The primary that serves the slot of this key, as the first running node sees it. */
    public RedisServer nodeOf(String key) {
        return nodes(key).get(0);
    }

    /** The primary of the key's slot, then its replicas. */
    private List<RedisServer> nodes(String key) {
        List<RedisServer> serving = served(anyNode(), slot(key));
        if (serving.isEmpty()) {
            throw new NoSuchElementException("nobody serves slot " + slot(key));
        }
        return serving;
    }

    private RedisServer anyNode() {
        return nodes.stream()
                .filter(RedisServer::isRunning)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node runs"));
    }

    /** Who serves the slot in the eyes of a node: nobody for a moment while it changes hands. */
    private List<RedisServer> served(RedisServer asked, long slot) {
        for (Object row : Replies.list(asked.command("CLUSTER", "SLOTS"))) {
            List<?> range = Replies.list(row);
            if (number(range.get(0)) <= slot && slot <= number(range.get(1))) {
                return range.stream()
                        .skip(2)
                        .map(node -> node(number(Replies.list(node).get(1))))
                        .toList();
            }
        }
        return List.of();
    }

    private RedisServer node(long port) {
        return nodes.stream()
                .filter(node -> node.port() == port)
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no node has port " + port));
    }

    private long slot(String key) {
        return number(anyNode().command("CLUSTER", "KEYSLOT", key));
    }

    private static long number(@Nullable Object reply) {
        if (reply instanceof Long number) {
            return number;
        }
        throw new IllegalArgumentException("not a number: " + reply);
    }

    private static String id(RedisServer node) {
        return String.valueOf(node.command("CLUSTER", "MYID"));
    }

    /** Moves the slot of this key, with all keys in it, to another primary. */
    public void move(String key, RedisServer to) {
        beginMove(key, to);
        endMove(key, to);
    }

    /**
     * Opens the slot of this key for its move: keys that are not there (any more) are asked for at the other primary
     * ({@code ASK}).
     */
    public void beginMove(String key, RedisServer to) {
        String slot = Long.toString(slot(key));
        RedisServer from = nodeOf(key);
        to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
        from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
    }

    /** Moves the keys of an opened slot and tells all nodes who serves it now. */
    public void endMove(String key, RedisServer to) {
        String slot = Long.toString(slot(key));
        RedisServer from = nodeOf(key);
        List<?> keys = keysIn(from, slot);
        while (!keys.isEmpty()) {
            from.command(migrate(keys, to));
            keys = keysIn(from, slot);
        }
        String id = id(to);
        to.command("CLUSTER", "SETSLOT", slot, "NODE", id);
        from.command("CLUSTER", "SETSLOT", slot, "NODE", id);
        long moved = slot(key);
        awaitAgreement(node -> served(node, moved).indexOf(to) == 0, "who serves slot " + slot);
    }

    private static List<?> keysIn(RedisServer node, String slot) {
        return Replies.list(node.command("CLUSTER", "GETKEYSINSLOT", slot, "100"));
    }

    private String[] migrate(List<?> keys, RedisServer to) {
        List<String> words = new ArrayList<>(
                List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000"));
        password.ifPresent(word -> words.addAll(List.of("AUTH", word)));
        words.add("KEYS");
        keys.forEach(key -> words.add(String.valueOf(key)));
        return words.toArray(String[]::new);
    }

    /**
     * Lets a replica take over the slot of this key and returns it. If the primary runs, nothing is lost; if it does
     * not, what it did not hand on is.
     */
    public RedisServer failOver(String key) {
        List<RedisServer> serving = nodes(key);
        RedisServer old = serving.get(0);
        RedisServer replica = serving.stream()
                .skip(1)
                .filter(RedisServer::isRunning)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no replica of " + old + " runs"));
        boolean graceful = old.isRunning();
        if (graceful) {
            replica.command("CLUSTER", "FAILOVER");
        } else {
            replica.command("CLUSTER", "FAILOVER", "TAKEOVER");
        }
        long slot = slot(key);
        awaitAgreement(
                node -> {
                    List<RedisServer> now = served(node, slot);
                    return now.indexOf(replica) == 0 && (!graceful || now.contains(old));
                },
                "who took over from " + old);
        return replica;
    }

    /** Ends all nodes. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
