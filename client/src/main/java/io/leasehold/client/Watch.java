// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.leasehold.model.LeaseholdException;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.table.Deliveries;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One listener's stream of events. When it breaks it is taken up again behind the last event that
 * came; where that can't be done, the listener is told that it missed some. But for {@link
 * #isClosed} and {@link #close}, used by the store's thread only.
 */
final class Watch {

    private static final System.Logger LOG = System.getLogger(RemoteLeaseStore.class.getName());

    private final String namespace;
    private final Deliveries deliveries; // to one listener
    private final LeaseEvents.Subscription subscription;
    private final Loop loop;
    // told when a stream ends by itself, with whether the watch had begun
    private final BiConsumer<Watch, LeaseholdException> ended;
    private final CompletableFuture<Watch> started = new CompletableFuture<>();
    private volatile boolean closed;
    private @Nullable ClientCall<WatchRequest, WatchReply> call;
    private String cursor = "";

    Watch(
            String namespace,
            Deliveries deliveries,
            LeaseEvents.Subscription subscription,
            Loop loop,
            BiConsumer<Watch, LeaseholdException> ended) {
        this.namespace = namespace;
        this.deliveries = deliveries;
        this.subscription = subscription;
        this.loop = loop;
        this.ended = ended;
    }

    /** Completes when events from then on are told, or when they can't be. */
    CompletableFuture<Watch> started() {
        return started;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isRunning() {
        return call != null;
    }

    /** Begins, or takes it up again, on a new connection. */
    void begin(Channel channel) {
        stop();
        if (closed) {
            return;
        }
        if (started.isDone() && cursor.isEmpty()) {
            tell(new LeaseEvent.Missed(1));
        }
        ClientCall<WatchRequest, WatchReply> begun =
                channel.newCall(LeasesGrpc.getWatchMethod(), CallOptions.DEFAULT);
        call = begun;
        begun.start(new Incoming(begun), new Metadata());
        begun.sendMessage(WatchRequest.newBuilder()
                .setNamespace(namespace)
                .setAfter(cursor)
                .build());
        begun.halfClose();
        begun.request(1);
    }

    /** Ends the stream, for now. */
    void stop() {
        ClientCall<WatchRequest, WatchReply> before = call;
        call = null;
        if (before != null) {
            before.cancel("no longer needed", null);
        }
    }

    /** Nothing is told any more. By any thread. */
    void close() {
        closed = true;
        subscription.close();
        loop.run(this::stop);
    }

    private void received(WatchReply message) {
        // taken up again, what has come so far is what was seen, not where the server is
        if (!message.getCursor().isEmpty() && (!message.hasStarted() || cursor.isEmpty())) {
            cursor = message.getCursor();
        }
        FromWire.event(message).ifPresent(this::tell);
        started.complete(this);
    }

    private void tell(LeaseEvent event) {
        deliveries.on(event);
        deliveries.flush();
    }

    /** What gRPC tells of one stream; of one that was replaced, nothing counts any more. */
    private final class Incoming extends ClientCall.Listener<WatchReply> {

        private final ClientCall<WatchRequest, WatchReply> of;

        Incoming(ClientCall<WatchRequest, WatchReply> of) {
            this.of = of;
        }

        @Override
        public void onMessage(WatchReply message) {
            if (call == of) {
                try {
                    received(message);
                } catch (IllegalArgumentException e) {
                    LOG.log(System.Logger.Level.WARNING, "an event can't be read", e);
                    tell(new LeaseEvent.Missed(1));
                }
                of.request(1);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            loop.run(() -> {
                if (call == of) {
                    call = null;
                    ended.accept(
                            Watch.this,
                            Failures.harmless("no events from the server", status, trailers));
                }
            });
        }
    }
}
