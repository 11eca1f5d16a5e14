// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.leasehold.protocol.v1.LeasesGrpc;

import java.util.concurrent.TimeUnit;

/** Calls a server over gRPC with a key, on a connection of its own for each use. */
record SoakGuest(int port, String key) {

    interface Use {
        void of(ManagedChannel channel) throws InterruptedException;
    }

    void connected(Use use) throws InterruptedException {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            use.of(channel);
        } finally {
            channel.shutdownNow();
            boolean unused = channel.awaitTermination(20, TimeUnit.SECONDS);
        }
    }

    LeasesGrpc.LeasesBlockingStub calls(Channel channel) {
        return LeasesGrpc.newBlockingStub(channel)
                .withCallCredentials(new Bearer(key))
                .withDeadlineAfter(60, TimeUnit.SECONDS);
    }

    LeasesGrpc.LeasesFutureStub later(Channel channel) {
        return LeasesGrpc.newFutureStub(channel).withCallCredentials(new Bearer(key));
    }

    LeasesGrpc.LeasesStub streams(Channel channel) {
        return LeasesGrpc.newStub(channel).withCallCredentials(new Bearer(key));
    }

    /** The channel with the key in each call. */
    Channel identified(Channel channel) {
        return ClientInterceptors.intercept(channel, new Identified());
    }

    private final class Identified implements ClientInterceptor {
        @Override
        public <A, B> ClientCall<A, B> interceptCall(
                MethodDescriptor<A, B> method, CallOptions options, Channel next) {
            return next.newCall(method, options.withCallCredentials(new Bearer(key)));
        }
    }
}
