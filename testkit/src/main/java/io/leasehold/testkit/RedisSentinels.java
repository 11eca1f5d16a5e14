// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;

/**
 * A primary, its replicas, and the Sentinels that watch over them and let a replica take over. Ends when it is closed.
 * Thread-safe.
 *
 * <pre>{@code
 * try (RedisSentinels redis = RedisSentinels.start(1, 1)) {
 *     RedisServer old = redis.primary();
 *     old.kill();
 *     RedisServer now = redis.awaitSuccessorOf(old);
 * }
 * }</pre>
 */
public final class RedisSentinels implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /** Starts them from the bundled program; the settings are those of the servers, not of the Sentinels. */
    public static RedisSentinels start(int replicas, int sentinels, String... settings) {
        return start(RedisBinary.bundled(), replicas, sentinels, settings);
    }

    /** As {@link #start(int, int, String...)}, from another program. */
    public static RedisSentinels start(
            RedisBinary binary, int replicas, int sentinels, String... settings) {
        RedisSentinels started = new RedisSentinels();
        try {
            started.startServers(binary, replicas, List.of(settings));
            started.startSentinels(binary, sentinels, List.of(settings));
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void startServers(RedisBinary binary, int replicas, List<String> settings) {
        List<String> all = RedisSetup.amongEquals(settings);
        for (int i = 0; i <= replicas; i++) {
            RedisServer server = RedisServer.start(RedisSetup.of(binary, all));
            servers.add(server);
            if (i > 0) {
                server.replicaOf(servers.get(0));
            }
        }
    }

    private void startSentinels(RedisBinary binary, int count, List<String> settings) {
        List<String> watch = new ArrayList<>(List.of(
                "sentinel monitor " + name() + " 127.0.0.1 " + servers.get(0).port() + " "
                        + (count / 2 + 1),
                "sentinel down-after-milliseconds " + name() + " 1000",
                "sentinel failover-timeout " + name() + " 2000"));
        RedisSetup.password(settings)
                .ifPresent(password -> watch.add("sentinel auth-pass " + name() + " " + password));
        for (int i = 0; i < count; i++) {
            sentinels.add(RedisServer.start(new RedisSetup(binary, true, null, watch)));
        }
        Poll.until(
                PATIENCE,
                () -> sentinels.stream().allMatch(this::knowsAll),
                () -> "the Sentinels do not find each other and the replicas:\n"
                        + sentinels.get(0).log());
    }

    private boolean knowsAll(RedisServer sentinel) {
        Map<String, String> about = about(sentinel);
        return Integer.toString(servers.size() - 1).equals(about.get("num-slaves"))
                && Integer.toString(sentinels.size() - 1).equals(about.get("num-other-sentinels"));
    }

    private Map<String, String> about(RedisServer sentinel) {
        return Replies.pairs(sentinel.command("SENTINEL", "MASTER", name()));
    }

    /** The name under which the Sentinels know the primary. */
    public String name() {
        return "leasehold";
    }

    /** Where clients find it: the Sentinels and the name. */
    public String uri() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "#" + name()));
    }

    /** All servers with data; the first one was the primary at the start. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** The Sentinels. */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** The server that the first running Sentinel names to clients as the primary. */
    public RedisServer primary() {
        RedisServer sentinel = sentinels.stream()
                .filter(RedisServer::isRunning)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no Sentinel runs"));
        String port = about(sentinel).get("port");
        return servers.stream()
                .filter(server -> Integer.toString(server.port()).equals(port))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no server has port " + port));
    }

    /**
     * Lets a replica take over from a primary that runs, and returns the new one; what the old one has not handed on is
     * lost. The old one takes part again as a replica about ten seconds later, and until then believes to be a primary.
     */
    public RedisServer failOver() {
        RedisServer old = primary();
        Poll.until(PATIENCE, this::tellToFailOver, () -> "no replica is fit to take over");
        return awaitSuccessorOf(old);
    }

    private boolean tellToFailOver() {
        try {
            sentinels.get(0).command("SENTINEL", "FAILOVER", name());
            return true;
        } catch (RedisErrorException e) {
            return false;
        }
    }

    /** Waits until every running Sentinel names another primary, which takes writes, and returns it. */
    public RedisServer awaitSuccessorOf(RedisServer old) {
        Poll.until(
                PATIENCE,
                () -> sentinels.stream()
                                        .filter(RedisServer::isRunning)
                                        .map(sentinel -> about(sentinel).get("port"))
                                        .distinct()
                                        .count()
                                == 1
                        && primary() != old
                        && "master".equals(primary().info("replication").get("role")),
                () -> "no server took over from " + old + ":\n"
                        + sentinels.get(0).log());
        return primary();
    }

    /** Ends the Sentinels and the servers. */
    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }
}
