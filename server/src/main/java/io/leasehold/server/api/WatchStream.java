// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.grpc.stub.ServerCallStreamObserver;
import io.leasehold.protocol.v1.WatchReply;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A watch as a gRPC stream. Takes an event only when the network has room for it, so that a slow
 * watcher falls behind in the ring and nowhere else.
 */
final class WatchStream {

    private final Operations.Watch watch;
    private final CallId call;
    private final ServerCallStreamObserver<WatchReply> replies;
    private final Executor loop;
    private boolean awaiting; // on the loop

    WatchStream(
            Operations.Watch watch,
            CallId call,
            ServerCallStreamObserver<WatchReply> replies,
            Executor loop) {
        this.watch = watch;
        this.call = call;
        this.replies = replies;
        this.loop = loop;
    }

    void start() {
        replies.setOnCancelHandler(watch::close);
        replies.setOnCloseHandler(watch::close);
        replies.setOnReadyHandler(this::pump);
        pump();
    }

    private void pump() {
        if (!awaiting && replies.isReady()) {
            awaiting = true;
            CompletionStage<WatchReply> unused = watch.next()
                    .whenComplete((event, failure) -> loop.execute(() -> tell(event, failure)));
        }
    }

    private void tell(@Nullable WatchReply event, @Nullable Throwable failure) {
        if (failure != null) {
            // nothing comes after this, so that it stays awaited
            if (!replies.isCancelled()) {
                replies.onError(GrpcStatus.of(Failures.ofReading(call, failure)));
            }
        } else if (event != null) {
            replies.onNext(event);
            awaiting = false;
            pump();
        }
    }
}
