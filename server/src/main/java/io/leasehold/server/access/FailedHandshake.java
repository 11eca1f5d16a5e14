// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.server.api.CallId;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * Takes note when the TLS handshake of its connection fails, and ends the connection, before Armeria
 * writes lines of its own for each. One for each connection, until its handshake has succeeded.
 */
final class FailedHandshake extends ChannelInboundHandlerAdapter {

    private static final int LONGEST = 200;

    private final FailedSignIns failures;

    private FailedHandshake(FailedSignIns failures) {
        this.failures = failures;
    }

    /** Watches a connection, if it begins with a handshake. */
    static void watch(ChannelPipeline connection, FailedSignIns failures) {
        ChannelHandlerContext next =
                connection.context(ApplicationProtocolNegotiationHandler.class);
        if (next != null) {
            connection.addBefore(next.name(), null, new FailedHandshake(failures));
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
            context.fireUserEventTriggered(event);
        } else if (handshake.isSuccess()) {
            context.fireUserEventTriggered(event);
            context.pipeline().remove(this);
        } else {
            failures.add(
                    address(context.channel().remoteAddress()),
                    why(handshake.cause()),
                    CallId.NONE);
            context.close();
        }
    }

    /** Whatever goes wrong in the midst of a handshake is told by its end. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    /** Never the bytes of somebody who speaks no TLS: a token may be among them. */
    private static String why(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return "this is not TLS";
        } else if (cause instanceof ClosedChannelException) {
            return "the connection was closed in the midst of the handshake";
        }
        String text = String.valueOf(cause.getMessage());
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST);
    }

    private static String address(@Nullable SocketAddress remote) {
        return remote instanceof InetSocketAddress peer
                ? peer.getAddress().getHostAddress()
                : String.valueOf(remote);
    }
}
