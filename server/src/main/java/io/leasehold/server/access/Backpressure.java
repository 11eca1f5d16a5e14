// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stops reading from a connection whose client does not read its answers: while 64 KiB of them are
 * unsent, or while many requests of an HTTP/1 connection have no answer yet. A connection that
 * can't be written to for as long as one may be idle is closed, as is one that pipelines far too
 * many requests. What comes in while requests take too much of the server's memory is held back until
 * connections that are closed for that are gone: an event loop reads from all its connections before
 * it does anything else. One for each connection, confined to its event loop.
 *
 * <p>Armeria uses the same switch, auto-read, while a request's body is not consumed. It stays off
 * here when it was off before, and is turned off again when Armeria turns it on meanwhile.
 */
final class Backpressure extends ChannelDuplexHandler {

    /** Requests without an answer on an HTTP/1 connection, or it is closed. */
    static final int MOST_UNANSWERED = 128;

    private static final int UNANSWERED_TO_PAUSE = 16;
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(32 << 10, 64 << 10);

    /** For how often what was read is held back until the tasks that wait on the event loop are done. */
    private static final int MOST_TURNS = 100;

    private final Channel channel;
    private final Duration patience;
    private final RequestMemory memory;
    private final ArrayDeque<Object> held = new ArrayDeque<>(1); // read, and not passed on yet
    private int turns; // for which it is held
    private int unanswered;
    private CompletableFuture<?> lastAnswer = CompletableFuture.completedFuture(null);
    private boolean paused;
    private boolean wanted; // Armeria would read
    private @Nullable Future<?> end;

    private Backpressure(Channel channel, Duration patience, RequestMemory memory) {
        this.channel = channel;
        this.patience = patience;
        this.memory = memory;
    }

    /** Applies it to all connections of a server, besides more that is added to their pipelines. */
    static void applyTo(
            ServerBuilder server,
            Duration patience,
            RequestMemory memory,
            Consumer<ChannelPipeline> more) {
        memory.applyTo(server);
        server.childChannelPipelineCustomizer(pipeline -> {
                    pipeline.channel().config().setWriteBufferWaterMark(UNSENT);
                    memory.add(pipeline.channel());
                    pipeline.addFirst(new Backpressure(pipeline.channel(), patience, memory));
                    more.accept(pipeline);
                })
                .decorator(Backpressure::counted);
    }

    /**
     * Serves a request, which counts until its answer is sent if it is one of HTTP/1. The answer waits
     * for those to earlier requests here, as an object of the heap: Armeria would keep it in a buffer
     * outside of it, which it does not release when the connection is closed before its turn.
     */
    private static HttpResponse counted(
            HttpService service, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        Channel channel = context.log().partial().channel();
        Backpressure connection = channel == null || context.sessionProtocol().isMultiplex()
                ? null
                : channel.pipeline().get(Backpressure.class);
        if (connection == null) {
            return service.serve(context, request);
        }
        connection.unanswered++;
        CompletableFuture<?> earlier = connection.lastAnswer;
        connection.lastAnswer = context.log().whenComplete();
        CompletableFuture<?> unusedEnd = connection.lastAnswer.thenRunAsync(
                connection::answered, context.eventLoop().withoutContext());
        if (connection.unanswered > MOST_UNANSWERED) {
            Future<?> unusedClose = channel.close();
            return HttpResponse.ofFailure(ClosedSessionException.get());
        }
        connection.pauseOrResume();
        HttpResponse answer = service.serve(context, request);
        return earlier.isDone()
                ? answer
                : HttpResponse.of(earlier.handle((log, failure) -> answer));
    }

    private void answered() {
        unanswered--;
        pauseOrResume();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (!channel.isWritable() && end == null) {
            end = context.executor()
                    .schedule(() -> context.close(), patience.toMillis(), TimeUnit.MILLISECONDS);
        } else if (channel.isWritable()) {
            keepOpen();
        }
        pauseOrResume();
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object part) {
        if (held.isEmpty() && !memory.isFull()) {
            context.fireChannelRead(part);
            return;
        }
        held.add(part);
        if (held.size() == 1) {
            turns = 0;
            pauseOrResume();
            context.executor().execute(() -> passOn(context));
        }
    }

    /** What was held back, when there is memory for it or that takes too long. */
    private void passOn(ChannelHandlerContext context) {
        if (held.isEmpty()) {
            return; // the connection is closed
        } else if (memory.isFull() && ++turns < MOST_TURNS) {
            context.executor().schedule(() -> passOn(context), 1, TimeUnit.MILLISECONDS);
            return;
        }
        context.fireChannelRead(held.remove());
        context.fireChannelReadComplete();
        if (held.isEmpty()) {
            pauseOrResume();
        } else {
            context.executor().execute(() -> passOn(context));
        }
    }

    private void release() {
        held.forEach(ReferenceCountUtil::release);
        held.clear();
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (paused) {
            wanted = true;
            channel.config().setAutoRead(false);
        } else {
            context.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        keepOpen();
        release();
        context.fireChannelInactive();
    }

    private void keepOpen() {
        if (end != null) {
            end.cancel(false);
            end = null;
        }
    }

    private void pauseOrResume() {
        boolean pause =
                !channel.isWritable() || unanswered > UNANSWERED_TO_PAUSE || !held.isEmpty();
        if (pause && !paused) {
            paused = true;
            wanted = channel.config().isAutoRead();
            channel.config().setAutoRead(false);
        } else if (!pause && paused) {
            paused = false;
            if (wanted) {
                channel.config().setAutoRead(true);
            }
        }
    }
}
