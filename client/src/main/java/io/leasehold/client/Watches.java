// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.Channel;
import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.table.Deliveries;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of a store, each with a stream of its own, which follow it from connection to
 * connection. But for {@link #add}, used by the store's thread only. Listeners are called on another
 * thread, which they share.
 */
final class Watches {

    /** Before a stream that the server ended is asked for again. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final RemoteOptions options;
    private final Loop loop;
    private final Supplier<Deliveries> deliveries;
    private final Set<Watch> watches = new HashSet<>();
    private @Nullable Channel channel;

    Watches(RemoteOptions options, Loop loop) {
        this.options = options;
        this.loop = loop;
        this.deliveries = Deliveries.sharedOn(options.time(), "leasehold-remote");
    }

    /** One more, which begins now if there is a connection. By any thread. */
    Watch add(LeaseEvents listener) {
        Deliveries told = deliveries.get();
        LeaseEvents.Subscription subscription = told.subscribe(listener);
        Watch watch =
                new Watch(options.address().namespace(), told, subscription, loop, this::ended);
        loop.run(() -> {
            watches.removeIf(Watch::isClosed);
            watches.add(watch);
            beginOne(watch);
        });
        return watch;
    }

    /** There is a connection again. */
    void begin(Channel connected) {
        channel = connected;
        watches.removeIf(Watch::isClosed);
        List.copyOf(watches).forEach(watch -> watch.begin(connected));
    }

    /** The connection is lost. */
    void interrupt() {
        channel = null;
        watches.removeIf(Watch::isClosed);
        List.copyOf(watches).forEach(Watch::stop);
    }

    /** A stream ended though the connection is there: one that never began stays away. */
    private void ended(Watch watch, LeaseholdException why) {
        watch.started().completeExceptionally(why);
        if (watch.started().isCompletedExceptionally()) {
            watch.close();
            watches.remove(watch);
            return;
        }
        long pause = (long) (PAUSE.toNanos() * (0.5 + options.random().nextDouble()));
        options.time().schedule(Duration.ofNanos(pause), () -> loop.run(() -> beginOne(watch)));
    }

    private void beginOne(Watch watch) {
        Channel current = channel;
        if (current != null && !watch.isRunning()) {
            watch.begin(current);
        }
    }
}
