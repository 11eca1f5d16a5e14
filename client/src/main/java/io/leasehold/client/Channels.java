// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.stub.MetadataUtils;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Opens connections to servers as the options say. Each is used until it breaks. */
final class Channels {

    /** A page of a thousand of the largest records. */
    private static final int MAX_MESSAGE = 80 << 20;

    /** The shortest that gRPC allows. Calls that get no answer notice a dead connection sooner. */
    private static final Duration PING_AFTER = Duration.ofSeconds(10);

    /** Channels that are shut down end in milliseconds, unless the machine is very busy. */
    private static final long ENDING_SECONDS = 10;

    /** How long the end of a store waits for a name; it goes on without the caller after that. */
    private static final long LOOK_UP_MILLIS = 500;

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final RemoteOptions options;
    private final Loop loop;
    private final Optional<ReloadedCertificates> certificates;
    private final List<ClientInterceptor> interceptors;
    // those that may still need the store's thread, also after they were given up
    private final Queue<ManagedChannel> alive = new ConcurrentLinkedQueue<>();
    // names that are being looked up; each completes when its channel has been told
    private final Queue<CompletableFuture<Boolean>> lookUps = new ConcurrentLinkedQueue<>();
    // of the store's thread: the reading of the certificates that began last
    private CompletableFuture<Boolean> reading = CompletableFuture.completedFuture(true);

    /**
     * Reads the files that the options name.
     *
     * @throws IllegalArgumentException if they can't be read
     */
    Channels(RemoteOptions options, Loop loop) {
        this.options = options;
        this.loop = loop;
        this.certificates = options.address().tls()
                ? Optional.of(new ReloadedCertificates(options.security()))
                : Optional.empty();
        this.interceptors =
                options.security().token().map(Channels::showing).stream().toList();
    }

    private static ClientInterceptor showing(String token) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }

    /**
     * Reads the certificates again, by another thread since the disk may take its time, and then
     * has the store's thread go on; at once if there are none. There is one reading at a time.
     */
    void readCertificates(Runnable next) {
        if (certificates.isEmpty()) {
            next.run();
            return;
        }
        if (reading.isDone()) {
            reading = new CompletableFuture<>();
            aside(certificates.get()::readAgain, reading, "leasehold-remote-files");
        }
        CompletableFuture<Void> unused = reading.thenRun(() -> loop.run(next));
    }

    /** A channel that connects with its first call, and is given up when it fails. */
    ManagedChannel open(RemoteAddress.Server server) {
        long patience = options.patience().toMillis();
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server.host(), server.port())
                .channelType(NioSocketChannel.class)
                .eventLoopGroup(loop.group())
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) patience)
                .directExecutor()
                .offloadExecutor(this::lookUp)
                .intercept(interceptors)
                .disableRetry()
                .disableServiceConfigLookUp()
                .maxInboundMessageSize(MAX_MESSAGE)
                .keepAliveTime(PING_AFTER.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(patience, TimeUnit.MILLISECONDS);
        ManagedChannel channel = certificates
                .map(read -> builder.sslContext(read.lastGood()))
                .orElseGet(builder::usePlaintext)
                .build();
        alive.removeIf(ManagedChannel::isTerminated);
        alive.add(channel);
        return channel;
    }

    /**
     * Returns when nothing is left of any channel that could need the store's thread, or after a
     * while; call it when all are shut down. A channel whose thread ends before it panics.
     */
    void awaitEnd() {
        boolean interrupted = false;
        for (ManagedChannel channel = alive.peek(); channel != null; channel = alive.peek()) {
            try {
                boolean unused = channel.awaitTermination(ENDING_SECONDS, TimeUnit.SECONDS);
                alive.remove(channel);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Runs it when no name is looked up any more: at once, or later on the thread of the last one,
     * since the system may take its time. gRPC asks for the store's thread after a look-up that
     * failed, even if the channel has ended by then.
     */
    void afterLookUps(Runnable end) {
        CompletableFuture<Boolean> all = CompletableFuture.allOf(
                        lookUps.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> true);
        boolean unused = all.copy()
                .completeOnTimeout(false, LOOK_UP_MILLIS, TimeUnit.MILLISECONDS)
                .join();
        all.thenRun(end);
    }

    /** The name of a host is looked up by a thread of its own: the system's call blocks. */
    private void lookUp(Runnable task) {
        CompletableFuture<Boolean> ended = new CompletableFuture<>();
        lookUps.removeIf(CompletableFuture::isDone);
        lookUps.add(ended);
        aside(task, ended, "leasehold-remote-names");
    }

    /** Does it on a thread that ends with it. */
    private static void aside(Runnable task, CompletableFuture<Boolean> ended, String name) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } finally {
                        ended.complete(true);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }
}
