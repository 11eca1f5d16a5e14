// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Holding;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Changed;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.Time;
import io.leasehold.table.Deliveries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges the event streams of the members into one: an event is told when a majority has told it,
 * and not before the events that happened earlier to the same or to an overlapping scope.
 *
 * <p>The order needs care because each majority may be another one. If a majority has told event F
 * and another one the later event E, a member that belongs to both has told F before E, while the
 * streams of the others may be slow. So E is kept back as long as an earlier event has been told by
 * some members, and could still be told by a majority; a member that has told E tells nothing
 * earlier any more. What is earlier is known from the tokens, and within a lease from the kind of
 * the change. No event waits for another one for longer than the patience.
 *
 * <p>Not seen is what happened at fewer members; what a member tells that the others told long ago
 * may be taken for something new. Both are only possible while members are down or cut off.
 */
final class MajorityEvents {

    private static final int MAX_OPEN = 8192;
    private static final int MAX_KEPT_BACK = 256;

    /** An event that not all members have told yet. */
    private static final class Heard {
        private final LeaseEvent event;
        private long since; // when the first member told it
        private int members; // a bit for each that has told it
        private boolean told;

        Heard(LeaseEvent event, long since) {
            this.event = event;
            this.since = since;
        }

        boolean wasToldBy(int member) {
            return (members & 1 << member) != 0;
        }

        /** Whether both are about the same lease or conflicting ones, and this happened earlier. */
        boolean isBefore(Heard other) {
            if (!(event instanceof Changed mine) || !(other.event instanceof Changed theirs)) {
                return false;
            }
            int order = mine.holding().token().compareTo(theirs.holding().token());
            return order == 0
                    ? rank(mine) < rank(theirs)
                    : order < 0 && conflict(mine.holding(), theirs.holding());
        }

        /** Whether they can't be held together, or may be one lease before and after a rotation. */
        private static boolean conflict(Holding one, Holding other) {
            return one.claim().conflictsWith(other.claim())
                    || (one.claim().equals(other.claim()) && one.holder().equals(other.holder()));
        }

        private static int rank(Changed change) {
            return switch (change.change()) {
                case GRANTED, ROTATED -> 0;
                case RENEWED -> 1;
                case RELEASED, COMPLETED, EXPIRED -> 2;
            };
        }
    }

    private final Members members;
    private final Time time;
    private final long patience;
    private final Deliveries deliveries;
    private final MemberSubscriptions subscriptions;
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Map<LeaseEvent, Heard> open = bounded();
    private final Map<LeaseEvent, Heard> undecided = bounded(); // too few have told them
    private final List<Heard> keptBack = new ArrayList<>(); // a majority has told them
    private Time.@Nullable Timer timer;

    MajorityEvents(Members members) {
        this.members = members;
        this.time = members.time();
        this.patience = members.patience().toNanos();
        this.deliveries = Deliveries.on(time, "leasehold-quorum");
        this.subscriptions = new MemberSubscriptions(members, this::on);
    }

    private static Map<LeaseEvent, Heard> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<LeaseEvent, Heard> eldest) {
                return size() > MAX_OPEN;
            }
        };
    }

    /**
     * Listens to the members as long as anybody listens here.
     *
     * @throws StoreUnavailableException if no majority of them can be listened to
     */
    LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        LeaseEvents.Subscription mine = deliveries.subscribe(listener);
        try {
            subscriptions.join();
        } catch (Throwable e) { // its caller has nothing to close it by
            mine.close();
            throw e;
        }
        return new OnlyOnce(() -> {
            mine.close();
            leave();
        });
    }

    /** Listens to no more members. */
    void close() {
        subscriptions.close();
    }

    private void leave() {
        subscriptions.leave();
        lock.lock();
        try {
            if (subscriptions.isIdle()) {
                open.clear();
                undecided.clear();
                keptBack.clear();
            }
        } finally {
            lock.unlock();
        }
    }

    private void on(LeaseEvent event, int member) {
        lock.lock();
        try {
            if (event instanceof LeaseEvent.Missed) {
                deliveries.on(event);
            } else {
                count(member, event);
                tellInOrder();
            }
        } finally {
            lock.unlock();
        }
        deliveries.flush();
    }

    private void count(int member, LeaseEvent event) {
        Heard heard = open.computeIfAbsent(event, none -> new Heard(event, time.nanos()));
        if (heard.told && heard.wasToldBy(member)) {
            // it happened again
            heard.members = 0;
            heard.told = false;
            heard.since = time.nanos();
        }
        boolean decided = isMajority(heard.members);
        heard.members |= 1 << member;
        if (!isMajority(heard.members)) {
            undecided.put(event, heard);
        } else if (!decided) {
            undecided.remove(event);
            keptBack.add(heard);
        }
        if (Integer.bitCount(heard.members) == members.size()) {
            open.remove(event);
        }
    }

    private boolean isMajority(int told) {
        return Integer.bitCount(told) >= members.majority();
    }

    /** Tells what a majority has told and nothing has to be told before. */
    private void tellInOrder() {
        long now = time.nanos();
        undecided.values().removeIf(heard -> now - heard.since >= patience);
        for (int i = 0; i < keptBack.size(); i++) {
            Heard next = keptBack.get(i);
            if (keptBack.size() > MAX_KEPT_BACK || !hasToWait(next)) {
                keptBack.remove(i);
                next.told = true;
                deliveries.on(next.event);
                i = -1; // others may have waited for it
            }
        }
        if (!keptBack.isEmpty() && timer == null) {
            timer = time.schedule(Duration.ofNanos(patience), this::patienceEnds);
        }
    }

    private void patienceEnds() {
        lock.lock();
        try {
            timer = null;
            tellInOrder();
        } finally {
            lock.unlock();
        }
        deliveries.flush();
    }

    private boolean hasToWait(Heard next) {
        return Stream.concat(keptBack.stream(), undecided.values().stream())
                .anyMatch(other -> other.isBefore(next) && mayBeTold(other, next));
    }

    /** Whether a majority may tell an earlier event, now that some have told the later one. */
    private boolean mayBeTold(Heard earlier, Heard later) {
        int may = earlier.members;
        for (Member member : members.all()) {
            if (member.isJoined() && !later.wasToldBy(member.index)) {
                may |= 1 << member.index;
            }
        }
        return isMajority(may);
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
