// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.util.Exceptions;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Operations;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tells the events of one watch to one client, the next when the one before was written; a client
 * that reads slowly thus falls behind in the ring that all watches share, and hears of it by a
 * resync. A comment now and then keeps the connection, and finds out that nobody listens.
 *
 * <p>Confined to the event loop of the request.
 */
final class EventStream {

    static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Operations.Watch watch;
    private final HttpResponseWriter response;
    private final Executor eventLoop;
    private final Json json;
    private boolean writing;
    private Time.@Nullable Timer heartbeat;
    private boolean ended;

    EventStream(
            Operations.Watch watch, HttpResponseWriter response, Executor eventLoop, Json json) {
        this.watch = watch;
        this.response = response;
        this.eventLoop = eventLoop;
        this.json = json;
    }

    void begin(Time time) {
        response.whenComplete().whenCompleteAsync((nothing, gone) -> end(), eventLoop);
        beatLater(time);
        next();
    }

    private void next() {
        if (!ended) {
            watch.next().whenCompleteAsync(this::tell, eventLoop);
        }
    }

    private void tell(@Nullable WatchReply event, @Nullable Throwable thrown) {
        if (ended) {
            return;
        }
        if (event != null) {
            write(
                    "id: " + event.getCursor() + "\ndata: " + json.writeText(event) + "\n\n",
                    this::next);
        } else if (thrown != null
                && Exceptions.peel(thrown) instanceof CallFailedException failed) {
            write(
                    "event: failure\ndata: " + json.writeText(failed.failure()) + "\n\n",
                    response::close);
        } else {
            response.close();
        }
    }

    private void write(String text, Runnable then) {
        writing = true;
        if (response.tryWrite(HttpData.ofUtf8(text))) {
            response.whenConsumed()
                    .thenRunAsync(
                            () -> {
                                writing = false;
                                then.run();
                            },
                            eventLoop);
        }
    }

    private void beatLater(Time time) {
        heartbeat = time.schedule(HEARTBEAT, () -> eventLoop.execute(() -> beat(time)));
    }

    private void beat(Time time) {
        if (ended) {
            return;
        }
        if (!writing) {
            write(":\n\n", () -> {});
        }
        beatLater(time);
    }

    private void end() {
        ended = true;
        if (heartbeat != null) {
            heartbeat.cancel();
        }
        watch.close();
    }
}
