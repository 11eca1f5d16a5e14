// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.MetadataUtils;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;

/** Opens connections to servers as the options say. Each is used until it breaks. */
final class Channels {

    /** A page of a thousand of the largest records. */
    private static final int MAX_MESSAGE = 80 << 20;

    /** The shortest that gRPC allows. Calls that get no answer notice a dead connection sooner. */
    private static final Duration PING_AFTER = Duration.ofSeconds(10);

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final RemoteOptions options;
    private final Loop loop;
    private final Optional<SslContext> tls;
    private final List<ClientInterceptor> interceptors;

    /**
     * Reads the files that the options name.
     *
     * @throws IllegalArgumentException if they can't be read
     */
    Channels(RemoteOptions options, Loop loop) {
        this.options = options;
        this.loop = loop;
        this.tls =
                options.address().tls() ? Optional.of(tls(options.security())) : Optional.empty();
        this.interceptors =
                options.security().token().map(Channels::showing).stream().toList();
    }

    private static SslContext tls(RemoteSecurity security) {
        try {
            SslContextBuilder builder = GrpcSslContexts.forClient();
            security.trusted().ifPresent(file -> builder.trustManager(file.toFile()));
            security.certificate()
                    .ifPresent(shown -> builder.keyManager(
                            shown.chain().toFile(), shown.key().toFile()));
            return builder.build();
        } catch (SSLException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "the certificates can't be used: " + e.getMessage(), e);
        }
    }

    private static ClientInterceptor showing(String token) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }

    /** A channel that connects with its first call, and is given up when it fails. */
    ManagedChannel open(RemoteAddress.Server server) {
        long patience = options.patience().toMillis();
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(server.host(), server.port())
                .channelType(NioSocketChannel.class)
                .eventLoopGroup(loop.group())
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) patience)
                .directExecutor()
                .offloadExecutor(Channels::resolve)
                .intercept(interceptors)
                .disableRetry()
                .disableServiceConfigLookUp()
                .maxInboundMessageSize(MAX_MESSAGE)
                .keepAliveTime(PING_AFTER.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(patience, TimeUnit.MILLISECONDS);
        return tls.map(builder::sslContext).orElseGet(builder::usePlaintext).build();
    }

    /** The name of a host is looked up by a thread that ends with it: the system's call blocks. */
    private static void resolve(Runnable task) {
        Thread thread = new Thread(task, "leasehold-remote-names");
        thread.setDaemon(true);
        thread.start();
    }
}
