// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.Time;
import io.leasehold.table.StoreThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to the events of the members, as long as there are listeners. A minority that can't be
 * reached is asked again from time to time. Thread-safe; members are called without the lock.
 */
final class MemberSubscriptions {

    private final Members members;
    private final ObjIntConsumer<LeaseEvent> told; // with the member that told it
    private final Duration pause; // before members that could not be reached are asked again
    private final Time time;
    private final Executor subscriber; // may wait for a member that does not answer
    private final ReentrantLock lock = new ReentrantLock(); // guards the fields below
    private final Map<Member, LeaseEvents.Subscription> made = new LinkedHashMap<>();
    private final Set<Member> underWay = new HashSet<>();
    private int listeners;
    private boolean closed;
    private Time.@Nullable Timer retry;

    MemberSubscriptions(Members members, ObjIntConsumer<LeaseEvent> told) {
        this.members = members;
        this.told = told;
        this.pause = members.patience();
        this.time = members.time();
        this.subscriber = StoreThread.on(time, "leasehold-quorum-subscriptions");
    }

    /**
     * Somebody begins to listen.
     *
     * @throws StoreUnavailableException if no majority of the members can be subscribed to; nobody
     *     listens then
     */
    void join() {
        lock.lock();
        try {
            listeners++;
        } finally {
            lock.unlock();
        }
        List<Throwable> failures = new ArrayList<>();
        for (Member member : take()) {
            subscribe(member, failures);
        }
        if (failures.size() > members.size() - members.majority()) {
            leave();
            throw new StoreUnavailableException(
                    "no majority of the quorum tells its events", failures.get(0));
        }
        retryLater();
    }

    /** Somebody listens no more. */
    void leave() {
        List<LeaseEvents.Subscription> idle = new ArrayList<>();
        lock.lock();
        try {
            if (--listeners == 0) {
                idle.addAll(made.values());
                made.clear();
                cancelRetry();
            }
        } finally {
            lock.unlock();
        }
        idle.forEach(LeaseEvents.Subscription::close);
    }

    /** Asks no member any more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            cancelRetry();
        } finally {
            lock.unlock();
        }
    }

    private void cancelRetry() {
        if (retry != null) {
            retry.cancel();
            retry = null;
        }
    }

    /** Whether nobody listens. */
    boolean isIdle() {
        lock.lock();
        try {
            return listeners == 0;
        } finally {
            lock.unlock();
        }
    }

    /** The members that nobody has subscribed to, or is about to; now somebody is. */
    private List<Member> take() {
        List<Member> missing = new ArrayList<>();
        lock.lock();
        try {
            for (Member member : members.all()) {
                boolean wanted = listeners > 0 && !closed;
                if (wanted && !made.containsKey(member) && underWay.add(member)) {
                    missing.add(member);
                }
            }
        } finally {
            lock.unlock();
        }
        return missing;
    }

    private void subscribe(Member member, List<Throwable> failures) {
        LeaseEvents.Subscription subscription = null;
        try {
            subscription = member.node().subscribe(event -> told.accept(event, member.index));
        } catch (RuntimeException | Error e) {
            failures.add(e);
        }
        boolean wanted;
        lock.lock();
        try {
            underWay.remove(member);
            wanted = listeners > 0;
            if (wanted && subscription != null) {
                made.put(member, subscription);
            }
        } finally {
            lock.unlock();
        }
        if (!wanted && subscription != null) {
            subscription.close();
        }
    }

    private void retryLater() {
        lock.lock();
        try {
            boolean wanted = listeners > 0 && !closed;
            if (wanted && made.size() < members.size() && retry == null) {
                retry = time.schedule(pause, () -> subscriber.execute(this::tryAgain));
            }
        } finally {
            lock.unlock();
        }
    }

    private void tryAgain() {
        lock.lock();
        try {
            retry = null;
        } finally {
            lock.unlock();
        }
        take().forEach(member -> subscribe(member, new ArrayList<>()));
        retryLater();
    }
}
