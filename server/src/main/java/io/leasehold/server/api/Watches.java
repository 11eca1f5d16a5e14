// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.spi.LeaseEvents;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * The rings of the namespaces that are or were watched. A namespace that nobody watches costs
 * nothing; one that is not there yet can be watched, and is heard of from its first event on.
 * Thread-safe.
 */
final class Watches {

    private final Namespaces namespaces;
    private final Bounds bounds;
    private final Executor herald;
    private final Map<String, Watched> rings = new HashMap<>(); // guarded by this, as the rest
    private final Set<Counted> watches = new HashSet<>();

    /**
     * How much is kept.
     *
     * @param boot tells the cursors of this start of the server from those of others
     * @param size how many events each ring keeps
     * @param most how many may watch at one time
     */
    record Bounds(String boot, int size, int most) {}

    /** A namespace that is watched, open or not. */
    private static final class Watched {
        final WatchRing ring;
        BooleanSupplier abandon = () -> false; // whether it is of no use to anybody
        int watchers;

        Watched(WatchRing ring) {
            this.ring = ring;
        }
    }

    Watches(Namespaces namespaces, Bounds bounds, Executor herald) {
        this.namespaces = namespaces;
        this.bounds = bounds;
        this.herald = herald;
    }

    Operations.Watch watch(String namespace, WatchRing.Cursor after, Optional<Scope> overlapping) {
        synchronized (this) {
            ensureRoom();
            Watched watched = rings.computeIfAbsent(namespace, this::begin);
            watched.watchers++;
            return count(watched.ring.watch(after, overlapping), () -> leave(namespace, watched));
        }
    }

    /** A watch of a namespace that looks empty. */
    Operations.Watch ofNothing(WatchRing.Cursor after) {
        synchronized (this) {
            ensureRoom();
            WatchRing nothing = new WatchRing(bounds.boot(), 1, herald);
            return count(nothing.watch(after, Optional.empty()), () -> {});
        }
    }

    private Watched begin(String namespace) {
        Watched watched = new Watched(new WatchRing(bounds.boot(), bounds.size(), herald));
        AtomicBoolean open = new AtomicBoolean();
        Namespaces.Expectation expectation = namespaces.whenOpen(namespace, store -> {
            open.set(true);
            LeaseEvents.Subscription unused = store.subscribe(watched.ring::add);
        });
        watched.abandon = () -> {
            expectation.cancel();
            return !open.get();
        };
        return watched;
    }

    private void ensureRoom() {
        if (watches.size() >= bounds.most()) {
            throw Failures.limit(
                    "watches", bounds.most(), bounds.most() + " watches, which is the most");
        }
    }

    private Operations.Watch count(Operations.Watch watch, Runnable leave) {
        Counted counted = new Counted(watch, leave);
        watches.add(counted);
        return counted;
    }

    private void leave(String namespace, Watched watched) {
        watched.watchers--;
        if (watched.watchers == 0 && watched.abandon.getAsBoolean()) {
            rings.remove(namespace, watched);
        }
    }

    /** Ends all watches. */
    void close() {
        List<Counted> left;
        synchronized (this) {
            left = List.copyOf(watches);
        }
        left.forEach(Counted::close);
    }

    private final class Counted implements Operations.Watch {

        private final Operations.Watch watch;
        private final Runnable leave;

        Counted(Operations.Watch watch, Runnable leave) {
            this.watch = watch;
            this.leave = leave;
        }

        @Override
        public CompletionStage<WatchReply> next() {
            return watch.next();
        }

        @Override
        public void close() {
            synchronized (Watches.this) {
                if (watches.remove(this)) {
                    leave.run();
                }
            }
            watch.close();
        }
    }
}
