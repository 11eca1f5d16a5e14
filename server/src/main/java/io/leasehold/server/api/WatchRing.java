// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.Holding;
import io.leasehold.model.Scope;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.spi.LeaseEvent;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The last events of a namespace, numbered, for all who watch it. Nothing is kept per watcher but
 * where it is; one that fell behind the oldest event is told to read the state anew. Whoever adds an
 * event never waits for watchers. Thread-safe.
 */
final class WatchRing {

    private final String boot;
    private final Executor herald;
    private final @Nullable LeaseEvent[] events; // guarded by this, as all that follows
    private final Set<Watcher> waiting = new LinkedHashSet<>();
    private long head; // how many events there have been
    private boolean heraldComing;
    private boolean open;
    private @Nullable CallFailedException failure;

    /**
     * An empty ring that is not open yet: its watchers wait for their start.
     *
     * @param boot tells the cursors of this start of the server from those of others
     * @param size how many events are kept
     * @param herald wakes those who wait for an event
     */
    WatchRing(String boot, int size, Executor herald) {
        this.boot = boot;
        this.events = new LeaseEvent[size];
        this.herald = herald;
    }

    /** From now on all events are added: watchers start. */
    void open() {
        synchronized (this) {
            open = true;
        }
        herald.execute(this::wake);
    }

    /** Events can't be had: watchers fail, those of later included. */
    void fail(CallFailedException why) {
        synchronized (this) {
            failure = why;
        }
        herald.execute(this::wake);
    }

    void add(LeaseEvent event) {
        synchronized (this) {
            events[(int) (head++ % events.length)] = event;
            if (waiting.isEmpty() || heraldComing) {
                return;
            }
            heraldComing = true;
        }
        herald.execute(this::wake);
    }

    /** Begins a watch behind the event of the cursor, or now. */
    Watcher watch(Cursor after, Optional<Scope> overlapping) {
        synchronized (this) {
            boolean known = after.boot().equals(boot)
                    && after.sequence() <= head
                    && after.sequence() >= head - events.length;
            long position = known ? after.sequence() : head;
            return new Watcher(position, !known && !after.isNow(), overlapping);
        }
    }

    private void wake() {
        List<Watcher> woken;
        synchronized (this) {
            heraldComing = false;
            woken = new ArrayList<>(waiting);
            waiting.clear();
        }
        woken.forEach(Watcher::look);
    }

    private WatchReply mark(long position, WatchReply.Builder event) {
        return event.setCursor(boot + "." + position).build();
    }

    /**
     * The event that a client saw last.
     *
     * @param boot of which start of a server; empty for none
     * @param sequence its number
     */
    record Cursor(String boot, long sequence) {

        boolean isNow() {
            return boot.isEmpty();
        }

        static Cursor parse(String text) {
            if (text.isEmpty()) {
                return new Cursor("", 0);
            }
            int dot = text.indexOf('.');
            try {
                long sequence = Long.parseLong(text.substring(dot + 1));
                if (dot > 0 && dot <= 32 && sequence >= 0) {
                    return new Cursor(text.substring(0, dot), sequence);
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("this is not a cursor of a watch", e);
            }
            throw new IllegalArgumentException("this is not a cursor of a watch");
        }
    }

    /** One who watches. */
    final class Watcher implements Operations.Watch {

        private final Optional<Scope> overlapping;
        private long position; // this and the rest are guarded by the ring
        private boolean started;
        private boolean behind;
        private boolean closed;
        private @Nullable CompletableFuture<WatchReply> wanted;

        private Watcher(long position, boolean behind, Optional<Scope> overlapping) {
            this.position = position;
            this.behind = behind;
            this.overlapping = overlapping;
        }

        @Override
        public CompletionStage<WatchReply> next() {
            CompletableFuture<WatchReply> next = new CompletableFuture<>();
            synchronized (WatchRing.this) {
                if (closed) {
                    return CompletableFuture.failedFuture(ended());
                } else if (wanted != null) {
                    throw new IllegalStateException("the event before is still awaited");
                }
                wanted = next;
            }
            look();
            return next;
        }

        /** Answers with what there is, or waits. */
        private void look() {
            CompletableFuture<WatchReply> answer;
            WatchReply found;
            CallFailedException why;
            synchronized (WatchRing.this) {
                answer = wanted;
                if (answer == null) {
                    return;
                }
                why = failure;
                found = why == null ? find() : null;
                if (found == null && why == null) {
                    waiting.add(this);
                    return;
                }
                wanted = null;
            }
            if (found != null) {
                answer.complete(found);
            } else if (why != null) {
                answer.completeExceptionally(why);
            }
        }

        private @Nullable WatchReply find() {
            if (!open) {
                return null;
            }
            if (!started) {
                started = true;
                return mark(
                        position,
                        WatchReply.newBuilder()
                                .setStarted(WatchReply.Started.getDefaultInstance()));
            }
            if (behind || head - position > events.length) {
                behind = false;
                position = head;
                return mark(
                        position,
                        WatchReply.newBuilder().setResync(WatchReply.Resync.getDefaultInstance()));
            }
            while (position < head) {
                LeaseEvent event = events[(int) (position++ % events.length)];
                if (event != null && concerns(event)) {
                    return mark(position, ToWire.event(event));
                }
            }
            return null;
        }

        private boolean concerns(LeaseEvent event) {
            if (overlapping.isEmpty()) {
                return true;
            }
            Scope scope = overlapping.get();
            if (event instanceof LeaseEvent.Changed changed) {
                return concerns(changed.holding(), scope);
            } else if (event instanceof LeaseEvent.RenewalRefused refused) {
                return concerns(refused.holding(), scope);
            }
            return true;
        }

        private static boolean concerns(Holding holding, Scope scope) {
            return holding.claim().scopes().stream().anyMatch(scope::overlaps);
        }

        @Override
        public void close() {
            CompletableFuture<WatchReply> unanswered;
            synchronized (WatchRing.this) {
                closed = true;
                waiting.remove(this);
                unanswered = wanted;
                wanted = null;
            }
            if (unanswered != null) {
                unanswered.completeExceptionally(ended());
            }
        }

        private static CallFailedException ended() {
            return Failures.of(
                    io.leasehold.protocol.v1.Failure.Kind.UNAVAILABLE, "the watch is over");
        }
    }
}
