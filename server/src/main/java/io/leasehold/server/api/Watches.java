// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The rings of the namespaces that are or were watched. A namespace that nobody watches costs
 * nothing; one that is not there yet can be watched, and is heard of from its first event on. Stores
 * are opened and subscribed to on threads that may block; a watch starts once that is done, and
 * fails if it can't be done, so that the next watch tries again. Thread-safe.
 */
final class Watches {

    private final Namespaces namespaces;
    private final Time time;
    private final Bounds bounds;
    private final Executor herald;
    private final Map<String, Watched> rings = new HashMap<>(); // guarded by this, as the rest
    private final Set<Begun> watches = new HashSet<>();
    private final Set<Begun> ofNothing = new HashSet<>(); // not counted
    private int opening; // rings, those included that nobody watches any more
    private long made; // rings, so that no cursor of one is taken for one of another
    private boolean closed;

    /**
     * How much is kept.
     *
     * @param boot tells the cursors of this start of the server from those of others
     * @param size how many events each ring keeps
     * @param most how many may watch at one time
     */
    record Bounds(String boot, int size, int most) {}

    private enum State {
        /** On its way to be open or absent. */
        OPENING,
        /** The namespace is not there; what happens in it is heard of once it is. */
        ABSENT,
        OPEN,
        CLOSED
    }

    Watches(Namespaces namespaces, Time time, Bounds bounds, Executor herald) {
        this.namespaces = namespaces;
        this.time = time;
        this.bounds = bounds;
        this.herald = herald;
    }

    Operations.Watch watch(String namespace, WatchRing.Cursor after, Optional<Scope> overlapping) {
        Watched watched;
        Begun begun;
        boolean begins;
        synchronized (this) {
            ensureRoom();
            begins = !rings.containsKey(namespace);
            watched = rings.computeIfAbsent(namespace, this::make);
            begun = new Begun(watched.ring.watch(after, overlapping), watches, watched::leave);
            watched.watchers++;
        }
        if (begins) {
            watched.begin();
        }
        return begun;
    }

    /** A watch of a namespace that looks empty. Takes no room from those who may read. */
    Operations.Watch ofNothing(WatchRing.Cursor after) {
        WatchRing nothing;
        Begun begun;
        synchronized (this) {
            ensureOpen();
            nothing = ring(1);
            begun = new Begun(nothing.watch(after, Optional.empty()), ofNothing, () -> {});
        }
        nothing.open();
        return begun;
    }

    private Watched make(String namespace) {
        opening++;
        return new Watched(namespace, ring(bounds.size()));
    }

    private WatchRing ring(int size) {
        return new WatchRing(bounds.boot() + "x" + Long.toHexString(++made), size, herald);
    }

    private void ensureOpen() {
        if (closed) {
            throw Stopping.refusal();
        }
    }

    private void ensureRoom() {
        ensureOpen();
        if (Math.max(watches.size(), opening) >= bounds.most()) {
            throw Failures.limit(
                    "watches", bounds.most(), bounds.most() + " watches, which is the most");
        }
    }

    /** Ends all watches and subscriptions, those included that are being made. */
    void close() {
        List<Begun> left = new ArrayList<>();
        List<Watched> watched;
        synchronized (this) {
            closed = true;
            left.addAll(watches);
            left.addAll(ofNothing);
            watched = List.copyOf(rings.values());
        }
        left.forEach(Begun::close);
        watched.forEach(Watched::close);
    }

    /** A namespace that is watched, open or not. Its fields are guarded by the watches. */
    private final class Watched implements Namespaces.Expectant {

        private final String namespace;
        private final WatchRing ring;
        private State state = State.OPENING;
        private Namespaces.Expectation expectation = () -> {};
        private LeaseEvents.Subscription subscription = () -> {};
        private int watchers;
        private long desertedAt; // when the last watcher left
        private boolean closingSoon; // a timer is set

        Watched(String namespace, WatchRing ring) {
            this.namespace = namespace;
            this.ring = ring;
        }

        void begin() {
            Namespaces.Expectation begun = namespaces.whenOpen(namespace, this);
            boolean unwanted;
            synchronized (Watches.this) {
                expectation = begun;
                unwanted = state == State.CLOSED;
            }
            if (unwanted) {
                begun.cancel();
            }
        }

        @Override
        public void opened(LeaseStore store) {
            if (!isWanted()) {
                return;
            }
            LeaseEvents.Subscription made = store.subscribe(ring::add);
            boolean kept;
            synchronized (Watches.this) {
                kept = become(State.OPEN);
                if (kept) {
                    subscription = made;
                }
            }
            if (kept) {
                ring.open();
            } else {
                made.close();
            }
        }

        @Override
        public void absent() {
            boolean kept;
            synchronized (Watches.this) {
                kept = state == State.OPENING && become(State.ABSENT);
            }
            if (kept) {
                ring.open();
                closeIfDeserted();
            }
        }

        @Override
        public void failed(Throwable cause) {
            boolean told;
            synchronized (Watches.this) {
                told = become(State.CLOSED);
            }
            if (told) {
                ring.fail(failure(cause));
            }
        }

        private CallFailedException failure(Throwable cause) {
            CallFailedException known =
                    Failures.ofReading(new CallId("watches-of-" + namespace, 0), cause);
            return known.failure().getKind() == Failure.Kind.LIMIT_EXCEEDED
                    ? known
                    : Failures.of(
                            Failure.Kind.UNAVAILABLE,
                            "namespace '" + namespace + "' can't be watched now: "
                                    + known.failure().getMessage() + "; try again");
        }

        private boolean isWanted() {
            synchronized (Watches.this) {
                return state != State.CLOSED;
            }
        }

        /** Under the lock. False if it is closed, which it stays. */
        private boolean become(State next) {
            if (state == State.CLOSED) {
                return false;
            }
            if (state == State.OPENING) {
                opening--;
            }
            state = next;
            if (next == State.CLOSED) {
                rings.remove(namespace, this);
            }
            return true;
        }

        void leave() {
            boolean closesSoon;
            synchronized (Watches.this) {
                watchers--;
                desertedAt = time.nanos();
                closesSoon = watchers == 0 && state == State.OPEN && !closingSoon;
                closingSoon |= closesSoon;
            }
            if (closesSoon) {
                namespaces.idle().ifPresent(idle -> closeAfter(idle, idle));
            }
            closeIfDeserted();
        }

        private void closeAfter(Duration pause, Duration idle) {
            Time.Timer unused = time.schedule(pause, () -> closeIfDesertedFor(idle));
        }

        /** Closes it, or looks again later if somebody has watched it meanwhile. */
        private void closeIfDesertedFor(Duration idle) {
            Duration left;
            boolean later;
            boolean now;
            synchronized (Watches.this) {
                left = idle.minusNanos(time.nanos() - desertedAt);
                boolean deserted = watchers == 0 && state == State.OPEN;
                later = deserted && left.compareTo(Duration.ZERO) > 0;
                now = deserted && !later && become(State.CLOSED);
                closingSoon = later;
            }
            if (later) {
                closeAfter(left, idle);
            } else if (now) {
                namespaces.execute(this::close);
            }
        }

        /**
         * A ring that is open stays for those who come back, as long as its namespace would stay open
         * unused, and one that is opening is not begun anew by each who comes and goes.
         */
        private void closeIfDeserted() {
            boolean deserted;
            synchronized (Watches.this) {
                deserted = watchers == 0 && state == State.ABSENT && become(State.CLOSED);
            }
            if (deserted) {
                close();
            }
        }

        void close() {
            Namespaces.Expectation expected;
            LeaseEvents.Subscription subscribed;
            synchronized (Watches.this) {
                become(State.CLOSED);
                expected = expectation;
                subscribed = subscription;
            }
            expected.cancel();
            subscribed.close();
        }
    }

    /** A watch that is one of those that there are until it is closed. */
    private final class Begun implements Operations.Watch {

        private final Operations.Watch watch;
        private final Set<Begun> among;
        private final Runnable leave;

        /** Under the lock. */
        Begun(Operations.Watch watch, Set<Begun> among, Runnable leave) {
            this.watch = watch;
            this.among = among;
            this.leave = leave;
            among.add(this);
        }

        @Override
        public CompletionStage<WatchReply> next() {
            return watch.next();
        }

        @Override
        public void close() {
            boolean left;
            synchronized (Watches.this) {
                left = among.remove(this);
            }
            if (left) {
                leave.run();
            }
            watch.close();
        }
    }
}
