// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.AttributeKey;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the memory that requests take until their answers are sent, for all callers together,
 * whether or not they are known. If there is too much of it, the connection that takes the most is
 * closed; one that takes little is closed only if there is none that takes more and it begins another
 * request. So a client that has few requests keeps its connection while others send many, and a
 * session goes on. Thread-safe.
 */
public final class RequestMemory {

    private static final Logger LOG = LoggerFactory.getLogger(RequestMemory.class);

    /** Of a request without its body: about 12 KB were measured over HTTP/1. */
    private static final long REQUEST = 16 << 10;

    /** Of each byte of a body: small messages in it take several times as much once they are read. */
    private static final int PARSED = 4;

    private static final long LEAST = 16 << 20;
    private static final long LITTLE = 4 * REQUEST;

    private static final AttributeKey<Connection> CONNECTION =
            AttributeKey.valueOf(RequestMemory.class, "connection");
    private static final AttributeKey<Share> SHARE =
            AttributeKey.valueOf(RequestMemory.class, "share");

    private final long most;
    private final AtomicLong taken = new AtomicLong();
    /** Of connections that are being closed, and do not count any more. */
    private final AtomicLong closing = new AtomicLong();

    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    RequestMemory(long most) {
        this.most = Math.max(most, LEAST);
    }

    /** A quarter of the heap. */
    static RequestMemory ofHeap() {
        return new RequestMemory(Runtime.getRuntime().maxMemory() / 4);
    }

    void applyTo(ServerBuilder server) {
        server.decorator(this::serve);
    }

    /** Begins with a connection. */
    void add(Channel channel) {
        Connection connection = new Connection(channel);
        channel.attr(CONNECTION).set(connection);
        connections.add(connection);
        channel.closeFuture().addListener(closed -> connection.closed());
    }

    private HttpResponse serve(
            HttpService service, ServiceRequestContext context, HttpRequest request)
            throws Exception {
        Channel channel = Objects.requireNonNull(context.log().partial().channel());
        Share share = new Share(this, channel.attr(CONNECTION).get());
        context.setAttr(SHARE, share);
        CompletableFuture<?> unusedEnd = context.log().whenComplete().thenRun(share::end);
        if (!share.begin()) {
            return HttpResponse.ofFailure(ClosedSessionException.get());
        }
        HttpRequest counted = request.method() == HttpMethod.GET
                ? request
                : CountedBody.of(request, share::receive);
        return service.serve(context, counted);
    }

    /** Of a request that came in through a server which is bounded. */
    public static Share of(ServiceRequestContext context) {
        return Objects.requireNonNull(context.attr(SHARE));
    }

    /** Whether nothing more should be read until connections that are being closed are gone. */
    boolean isFull() {
        return taken.get() + closing.get() > most;
    }

    /** Closes a connection if too much is taken. */
    private void review(Connection asking, boolean begins) {
        Connection closed = taken.get() > most ? ended(asking, begins) : null;
        if (closed != null) {
            closed.close();
        }
    }

    /** The connection that is to be closed, which no longer counts. */
    private synchronized @Nullable Connection ended(Connection asking, boolean begins) {
        long now = taken.get();
        if (now <= most) {
            return null;
        }
        Connection heaviest = asking;
        for (Connection each : connections) {
            heaviest = each.bytes > heaviest.bytes ? each : heaviest;
        }
        boolean isHeavy = heaviest.bytes > LITTLE;
        if (!isHeavy && !begins && now <= most + most / 4) {
            return null;
        }
        Connection chosen = isHeavy ? heaviest : asking;
        return chosen.end() ? chosen : null;
    }

    /** What the requests of a connection take. Its monitor guards their shares, too. */
    private final class Connection {

        private final Channel channel;
        private volatile long bytes; // written under the monitor
        private volatile long had; // when it ended
        private boolean ended;

        Connection(Channel channel) {
            this.channel = channel;
        }

        synchronized boolean change(long by) {
            if (!ended) {
                bytes = bytes + by;
                taken.addAndGet(by);
            }
            return !ended;
        }

        /** Without asking the handler of HTTP/2, which would wait for the answers first. */
        void close() {
            LOG.warn(
                    "closed the connection of {}, whose requests took {} KiB: all requests together"
                            + " took more than {} MiB, which is the most",
                    channel.remoteAddress(),
                    had >> 10,
                    most >> 20);
            ChannelHandlerContext first = channel.pipeline().firstContext();
            if (first != null) {
                first.close();
            }
        }

        /** On its event loop, where its requests end with it: in a task that waits already. */
        void closed() {
            boolean unused = end();
            if (had > 0) {
                channel.eventLoop().execute(() -> closing.addAndGet(-had));
            }
        }

        synchronized boolean end() {
            if (ended) {
                return false;
            }
            had = bytes;
            change(-had);
            closing.addAndGet(had);
            ended = true;
            connections.remove(this);
            return true;
        }
    }

    /** What one request takes. */
    public static final class Share {

        private final RequestMemory all;
        private final Connection connection;
        private long held = REQUEST;
        private long received; // of a body, or of a message of a session that is not whole
        private boolean ended;

        private Share(RequestMemory all, Connection connection) {
            this.all = all;
            this.connection = connection;
        }

        private boolean begin() {
            boolean open = connection.change(REQUEST);
            all.review(connection, true);
            return open;
        }

        private void receive(int length) {
            long bytes = (long) PARSED * length;
            synchronized (connection) {
                if (ended || !connection.change(bytes)) {
                    return;
                }
                received += bytes;
            }
            all.review(connection, false);
        }

        /** A message of a session was received, which takes what {@link #hold} says from now on. */
        public void wasReceived() {
            synchronized (connection) {
                if (!ended) {
                    connection.change(-received);
                    received = 0;
                }
            }
        }

        /** Takes more. */
        public void hold(long bytes) {
            synchronized (connection) {
                if (ended || !connection.change(bytes)) {
                    return;
                }
                held += bytes;
            }
            all.review(connection, false);
        }

        /** Takes less, of what it {@link #hold holds}. */
        public void free(long bytes) {
            synchronized (connection) {
                if (!ended) {
                    connection.change(-bytes);
                    held -= bytes;
                }
            }
        }

        private void end() {
            synchronized (connection) {
                if (!ended) {
                    connection.change(-held - received);
                    ended = true;
                }
            }
        }
    }
}
