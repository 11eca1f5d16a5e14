// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Holding;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.Time;
import io.leasehold.table.Deliveries;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Listeners to what happens in the namespace. The store sends events only while somebody listens,
 * and counts them; so whoever missed some knows how many.
 */
final class Listening {

    private static final System.Logger LOG = System.getLogger(Listening.class.getName());
    private static final Duration LISTEN_FOR = Duration.ofSeconds(30);
    private static final Duration SAY_SO_EVERY = Duration.ofSeconds(10);
    private static final long NONE_YET = -1;

    private final Deliveries deliveries;
    private final Link link;
    private final String channel;
    private final Function<Operation, CompletableFuture<List<Object>>> send;
    private final Time time;
    // guards what follows
    private final ReentrantLock lock = new ReentrantLock();
    private int listeners;
    private long last = NONE_YET;
    private boolean saying;
    private boolean closed;

    Listening(
            Link link,
            String channel,
            Function<Operation, CompletableFuture<List<Object>>> send,
            Time time) {
        this.link = link;
        this.channel = channel;
        this.send = send;
        this.time = time;
        this.deliveries = Deliveries.on(time, "leasehold-redis");
    }

    /** Adds the listener; it hears of everything from when the stage completes. */
    CompletionStage<LeaseEvents.Subscription> add(LeaseEvents listener) {
        LeaseEvents.Subscription subscription = deliveries.subscribe(listener);
        AtomicBoolean over = new AtomicBoolean();
        LeaseEvents.Subscription leaving = () -> {
            if (over.compareAndSet(false, true)) {
                subscription.close();
                leave();
            }
        };
        lock.lock();
        try {
            listeners++;
        } finally {
            lock.unlock();
        }
        return link.subscribe(channel).thenCompose(done -> say()).handle((done, error) -> {
            if (error != null) {
                leaving.close();
                throw Failures.of(error);
            }
            return leaving;
        });
    }

    /** Says no more that somebody listens. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        boolean idle;
        lock.lock();
        try {
            listeners--;
            idle = listeners == 0;
        } finally {
            lock.unlock();
        }
        if (idle) {
            link.unsubscribe(channel);
        }
        if (idle && isListening()) {
            // somebody came in between, whose subscription this may have ended
            link.subscribe(channel);
        }
    }

    private boolean isListening() {
        lock.lock();
        try {
            return listeners > 0 && !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Tells the store that somebody listens, now and from time to time. */
    private CompletionStage<Void> say() {
        lock.lock();
        try {
            if (!saying && !closed) {
                time.schedule(SAY_SO_EVERY, this::sayAgain);
                saying = true; // not before: it may be that no timer can be had
            }
        } finally {
            lock.unlock();
        }
        return send.apply(Operation.of('o', Wire.length(LISTEN_FOR))).thenAccept(answer -> {
            lock.lock();
            try {
                last = last == NONE_YET ? Wire.number(answer.get(0)) : last;
            } finally {
                lock.unlock();
            }
        });
    }

    private void sayAgain() {
        lock.lock();
        try {
            saying = false;
            if (listeners == 0 || closed) {
                last = NONE_YET;
                return;
            }
        } finally {
            lock.unlock();
        }
        say();
    }

    /** Takes an event from the store. */
    void message(byte[] message) {
        try {
            List<Object> fields = Message.fields(message);
            count(Wire.number(fields.get(0)));
            deliveries.on(event(fields));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a message that is none of the store's", e);
        }
        deliveries.flush();
    }

    private void count(long number) {
        long missed;
        lock.lock();
        try {
            missed = last == NONE_YET ? 0 : missedBefore(number);
            last = number;
        } finally {
            lock.unlock();
        }
        if (missed > 0) {
            deliveries.on(new LeaseEvent.Missed(missed));
        }
    }

    /** A number that is not higher than the last: the store forgot, and how many it had sent. */
    private long missedBefore(long number) {
        return number > last ? number - last - 1 : Math.max(1, number - 1);
    }

    private static LeaseEvent event(List<Object> fields) {
        Holding holding = Wire.holding(fields, 2);
        return switch (Wire.string(fields.get(1))) {
            case "G" -> new LeaseEvent.Changed(Change.GRANTED, holding);
            case "R" -> new LeaseEvent.Changed(Change.RENEWED, holding);
            case "T" -> new LeaseEvent.Changed(Change.ROTATED, holding);
            case "L" -> new LeaseEvent.Changed(Change.RELEASED, holding);
            case "C" -> new LeaseEvent.Changed(Change.COMPLETED, holding);
            case "E" -> new LeaseEvent.Changed(Change.EXPIRED, holding);
            case "X" -> new LeaseEvent.RenewalRefused(Answers.reason(fields.get(5)), holding);
            default -> throw new IllegalArgumentException("an unknown event");
        };
    }
}
