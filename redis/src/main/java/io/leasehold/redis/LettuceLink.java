// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Time;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** The way through Lettuce: to one server, to whichever the sentinels name, or to a cluster. */
final class LettuceLink implements Link {

    private static final System.Logger LOG = System.getLogger(LettuceLink.class.getName());
    private static final ByteArrayCodec CODEC = ByteArrayCodec.INSTANCE;
    private static final int MAX_QUEUED_CALLS = 10_000;
    private static final int ATTEMPTS = 5;
    private static final Duration RECONNECT_AT_LEAST_EVERY = Duration.ofMillis(500);
    private static final Duration LOOK_AT_MOST_EVERY = Duration.ofMillis(250);
    private static final Duration CLOSE_OLD_AFTER = Duration.ofSeconds(1);

    /** One connection of each kind. */
    private record Pair(
            StatefulConnection<byte[], byte[]> calls,
            RedisClusterAsyncCommands<byte[], byte[]> commands,
            StatefulRedisPubSubConnection<byte[], byte[]> messages) {}

    private final ClientResources resources;
    private final AbstractRedisClient client;
    private final Supplier<Pair> connect;
    private final boolean cluster;
    // every call may find that it is needed, as long as there is no primary
    private final ThrottledTask looking = new ThrottledTask(
            ThrottledTask.daemons("leasehold-redis-primary"),
            Time.system(),
            LOOK_AT_MOST_EVERY,
            this::swap);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Set<String> channels = ConcurrentHashMap.newKeySet();
    private volatile Pair connections;

    private LettuceLink(
            ClientResources resources,
            AbstractRedisClient client,
            Supplier<Pair> connect,
            boolean cluster) {
        this.resources = resources;
        this.client = client;
        this.connect = connect;
        this.cluster = cluster;
        this.connections = connect.get();
    }

    /**
     * Connects, or throws.
     *
     * @throws LeaseholdException saying why there is no connection
     */
    static LettuceLink connect(RedisAddress address, Duration patience, Listener listener) {
        ClientResources resources = DefaultClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .reconnectDelay(Delay.fullJitter(
                        Duration.ZERO, RECONNECT_AT_LEAST_EVERY, 10, TimeUnit.MILLISECONDS))
                .build();
        address.uris().forEach(uri -> uri.setTimeout(patience));
        AbstractRedisClient client = address.cluster()
                ? RedisClusterClient.create(resources, address.uris())
                : RedisClient.create(resources, address.uris().get(0));
        try {
            return persistently(() -> address.cluster()
                    ? ofCluster(resources, (RedisClusterClient) client, patience, listener)
                    : ofServer(
                            resources,
                            (RedisClient) client,
                            address.uris().get(0),
                            patience,
                            listener));
        } catch (RuntimeException e) {
            end(client, resources);
            throw Failures.unreachable(e);
        } catch (Error e) { // unable to create native thread, and it may be tried again for long
            end(client, resources);
            throw e;
        }
    }

    /**
     * Lettuce closes a connection on which the server refused the password, and now and then
     * reports the closing instead of the refusal. So it is tried again, to learn why.
     */
    private static LettuceLink persistently(Supplier<LettuceLink> attempt) {
        for (int left = ATTEMPTS; ; left--) {
            try {
                return attempt.get();
            } catch (RedisConnectionException e) {
                if (left == 1 || !Failures.isClosing(e)) {
                    throw e;
                }
            }
        }
    }

    private static LettuceLink ofServer(
            ClientResources resources,
            RedisClient client,
            RedisURI uri,
            Duration patience,
            Listener listener) {
        client.setOptions(options(ClientOptions.builder(), patience).build());
        return new LettuceLink(
                resources,
                client,
                () -> {
                    var calls = client.connect(CODEC, uri);
                    try {
                        var messages = client.connectPubSub(CODEC, uri);
                        messages.addListener(heardBy(listener));
                        return new Pair(calls, calls.async(), messages);
                    } catch (RuntimeException | Error e) {
                        calls.closeAsync();
                        throw e;
                    }
                },
                false);
    }

    private static LettuceLink ofCluster(
            ClientResources resources,
            RedisClusterClient client,
            Duration patience,
            Listener listener) {
        ClusterTopologyRefreshOptions refresh = ClusterTopologyRefreshOptions.builder()
                .adaptiveRefreshTriggersTimeout(Duration.ofSeconds(1))
                .enablePeriodicRefresh(Duration.ofSeconds(10))
                .build();
        ClusterClientOptions.Builder options = ClusterClientOptions.builder();
        options(options, patience);
        // connections to nodes are made when first needed, and what is rejected until then would
        // be the first call
        options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.DEFAULT);
        client.setOptions(options.topologyRefreshOptions(refresh).build());
        return new LettuceLink(
                resources,
                client,
                () -> {
                    var calls = client.connect(CODEC);
                    var messages = client.connectPubSub(CODEC);
                    messages.addListener(heardBy(listener));
                    return new Pair(calls, calls.async(), messages);
                },
                true);
    }

    /**
     * Calls are never sent a second time behind our back: what was under way when a connection
     * broke is unknown, and what has no connection is refused; or, in a cluster, waits for one as
     * long as it has time.
     */
    private static ClientOptions.Builder options(ClientOptions.Builder options, Duration patience) {
        return options.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .replayFilter(command -> isScriptCall(command.getType().toString()))
                .requestQueueSize(MAX_QUEUED_CALLS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(patience)
                        .keepAlive(true)
                        .build());
    }

    private static boolean isScriptCall(String command) {
        return command.startsWith("EVAL") || command.equals("WAIT");
    }

    private static RedisPubSubAdapter<byte[], byte[]> heardBy(Listener listener) {
        return new RedisPubSubAdapter<>() {
            @Override
            public void message(byte[] channel, byte[] message) {
                listener.message(new String(channel, UTF_8), message);
            }

            @Override
            public void subscribed(byte[] channel, long count) {
                listener.subscribed(new String(channel, UTF_8));
            }
        };
    }

    @Override
    public CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments) {
        // a cluster runs it only where all keys are, even while their slot moves
        byte[][] keys = cluster ? Script.keys(key) : new byte[][] {key};
        CompletionStage<List<Object>> known = connections.commands.<List<Object>>evalsha(
                script.digest(), ScriptOutputType.MULTI, keys, arguments);
        return known.handle((answers, error) -> {
                    if (error == null) {
                        return CompletableFuture.completedFuture(answers);
                    }
                    if (isNoScript(error)) {
                        return connections.commands.<List<Object>>eval(
                                script.source(), ScriptOutputType.MULTI, keys, arguments);
                    }
                    return CompletableFuture.<List<Object>>failedFuture(error);
                })
                .thenCompose(stage -> stage);
    }

    private static boolean isNoScript(Throwable error) {
        return error instanceof RedisNoScriptException
                || (error instanceof CompletionException
                        && error.getCause() instanceof RedisNoScriptException);
    }

    @Override
    public CompletionStage<Long> awaitReplicas(int replicas, Duration patience) {
        return connections.commands.waitForReplication(replicas, patience.toMillis());
    }

    @Override
    public CompletionStage<Void> subscribe(String channel) {
        channels.add(channel);
        return connections.messages.async().subscribe(Wire.text(channel));
    }

    @Override
    public void unsubscribe(String channel) {
        channels.remove(channel);
        try {
            connections.messages.async().unsubscribe(Wire.text(channel));
        } catch (IllegalStateException e) {
            // Lettuce's timer has stopped: a link that is closed hears nothing any more anyway
            if (!closed.get()) {
                throw e;
            }
        }
    }

    @Override
    public CompletionStage<String> info(String section) {
        return connections.commands.info(section);
    }

    @Override
    public CompletionStage<Map<String, String>> settings(String pattern) {
        return connections.commands.configGet(pattern);
    }

    @Override
    public boolean isCluster() {
        return cluster;
    }

    @Override
    public void lookForPrimary() {
        if (!cluster && !closed.get()) {
            looking.start();
        }
    }

    private void swap() {
        try {
            Pair fresh = connect.get();
            for (String channel : channels) {
                fresh.messages.async().subscribe(Wire.text(channel));
            }
            Pair old = connections;
            connections = fresh;
            old.messages.closeAsync();
            // so that the calls under way are answered
            later(CLOSE_OLD_AFTER, old.calls::closeAsync);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "no primary was found", e);
        }
    }

    private void later(Duration delay, Runnable task) {
        try {
            resources.eventExecutorGroup().schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // closed meanwhile, and with it everything that was to be done
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            end(client, resources);
        }
    }

    private static void end(AbstractRedisClient client, ClientResources resources) {
        client.shutdownAsync(0, 1, TimeUnit.SECONDS)
                .whenComplete((done, error) -> resources.shutdown(0, 1, TimeUnit.SECONDS));
    }
}
