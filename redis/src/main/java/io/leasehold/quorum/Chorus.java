// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.table.Deliveries;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes one event of those that the members tell: an event is told when a majority has told it.
 * Since each member tells of one lease in order, so does this. A member draws a token before it is
 * agreed on and tells of the grant again when it is, so that a majority speaks of agreed tokens
 * only.
 *
 * <p>Not seen is what happened at fewer members; what a member tells that the others told long ago
 * may be taken for something new. Both are only possible while members are down or cut off.
 */
final class Chorus {

    private static final int MAX_OPEN = 8192;

    /** What is known of an event: who told it, and whether it was passed on. */
    private static final class Voices {
        private int members;
        private boolean told;
    }

    private final int size;
    private final int majority;
    private final Deliveries deliveries;
    private final ReentrantLock lock = new ReentrantLock(); // guards open
    private final Map<LeaseEvent, Voices> open = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<LeaseEvent, Voices> eldest) {
            return size() > MAX_OPEN;
        }
    };
    private final List<LeaseEvents.Subscription> subscriptions = new ArrayList<>();
    private int listeners;

    Chorus(Members members) {
        this.size = members.size();
        this.majority = members.majority();
        this.deliveries = Deliveries.on(members.time(), "leasehold-quorum-events");
    }

    /** Listens to the members as long as anybody listens here. */
    LeaseEvents.Subscription subscribe(Members members, LeaseEvents listener) {
        LeaseEvents.Subscription mine = deliveries.subscribe(listener);
        List<Member> toSubscribe;
        lock.lock();
        try {
            toSubscribe = listeners++ == 0 ? members.all() : List.of();
        } finally {
            lock.unlock();
        }
        for (Member member : toSubscribe) {
            LeaseEvents.Subscription theirs =
                    member.node().subscribe(event -> on(member.index, event));
            lock.lock();
            try {
                subscriptions.add(theirs);
            } finally {
                lock.unlock();
            }
        }
        return new OnlyOnce(() -> {
            mine.close();
            leave();
        });
    }

    private void leave() {
        List<LeaseEvents.Subscription> idle = new ArrayList<>();
        lock.lock();
        try {
            if (--listeners == 0) {
                idle.addAll(subscriptions);
                subscriptions.clear();
                open.clear();
            }
        } finally {
            lock.unlock();
        }
        idle.forEach(LeaseEvents.Subscription::close);
    }

    private void on(int member, LeaseEvent event) {
        boolean tell = true;
        lock.lock();
        try {
            if (!(event instanceof LeaseEvent.Missed)) {
                tell = count(member, event);
            }
            if (tell) {
                deliveries.on(event);
            }
        } finally {
            lock.unlock();
        }
        deliveries.flush();
    }

    private boolean count(int member, LeaseEvent event) {
        Voices voices = open.computeIfAbsent(event, none -> new Voices());
        int bit = 1 << member;
        if (voices.told && (voices.members & bit) != 0) {
            // it happened again
            voices.members = 0;
            voices.told = false;
        }
        voices.members |= bit;
        boolean tell = !voices.told && Integer.bitCount(voices.members) >= majority;
        voices.told |= tell;
        if (voices.told && Integer.bitCount(voices.members) == size) {
            open.remove(event);
        }
        return tell;
    }

    /** A subscription that ends once, however often it is closed. */
    private static final class OnlyOnce implements LeaseEvents.Subscription {

        private final AtomicReference<Runnable> end;

        OnlyOnce(Runnable end) {
            this.end = new AtomicReference<>(end);
        }

        @Override
        public void close() {
            end.getAndSet(() -> {}).run();
        }
    }
}
