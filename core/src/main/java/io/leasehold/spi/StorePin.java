// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client with one store. The first store id that a server tells is pinned; answers of a store
 * with another id are not taken. The pin goes over to another store when each address of the client
 * has answered with that one since the pinned store was last heard of: then the pinned store is gone
 * for this client, and with it its leases. Others may still hold leases of it that they have not lost
 * yet. So nothing is acquired for as long as the longest lease that this client has asked for can run,
 * counted from then on by the client's own clock.
 *
 * <p>For engines that reach their store by addresses. Thread-safe.
 */
public final class StorePin {

    private static final System.Logger LOG = System.getLogger(StorePin.class.getName());

    /** Two clocks that are off by as much as a client allows for differ by this part of a time. */
    private static final int CLOCK_SHARE = 50;

    private static final long CLOCK_NANOS = 5_000_000;

    /** What an answer means for the one who asked. */
    public enum Verdict {
        /** It is of the pinned store, or of a server that tells no id. */
        OURS,
        /** It is of another store: not to be taken, and the server to be left. */
        FOREIGN,
        /** It is of another store, which is the pinned one from now on: not to be taken. */
        REPLACED
    }

    /** The time before which nothing is acquired, and why. */
    private record Pause(long until, StoreId before, StoreId now) {}

    private final int addresses;
    private final StoreChangeListeners listeners = new StoreChangeListeners();
    private final AtomicLong longestTtl = new AtomicLong();
    // guards what follows; listeners are told under it, before another answer is judged
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, StoreId> others = new HashMap<>();
    private volatile @Nullable StoreId pinned;
    private volatile @Nullable Pause pause;

    /**
     * Pins nothing yet.
     *
     * @param addresses how many different ones there are
     */
    public StorePin(int addresses) {
        this.addresses = addresses;
    }

    /** The pinned store; empty if no server has told one yet. */
    public Optional<StoreId> store() {
        return Optional.ofNullable(pinned);
    }

    /** As {@link LeaseStore#onStoreChange} says. */
    public LeaseEvents.Subscription onChange(Consumer<StoreId> told) {
        return listeners.add(told);
    }

    /** Notes that a lease of this length was asked for. */
    public void asked(Duration ttl) {
        long nanos = ttl.toNanos();
        if (nanos > longestTtl.get()) {
            longestTtl.accumulateAndGet(nanos, Math::max);
        }
    }

    /**
     * Judges an answer that came from an address at the given time. Tells the listeners of a change
     * before it returns, also to callers on other threads whose answers are of the new store. A grant
     * that is {@link Verdict#OURS} is still not to be taken while there is a {@link #refusal}: its
     * request was sent before the change.
     */
    public Verdict heard(String from, Optional<StoreId> told, long now) {
        if (told.isEmpty()) {
            return Verdict.OURS;
        }
        StoreId id = told.get();
        lock.lock();
        try {
            Verdict verdict = judge(from, id, now);
            if (verdict == Verdict.REPLACED) {
                listeners.tell(id);
            }
            return verdict;
        } finally {
            lock.unlock();
        }
    }

    private Verdict judge(String from, StoreId id, long now) {
        StoreId before = pinned;
        if (before == null || before.equals(id)) {
            pinned = id;
            others.clear();
            return Verdict.OURS;
        }
        boolean news = !id.equals(others.put(from, id));
        if (others.size() < addresses || !others.values().stream().allMatch(id::equals)) {
            if (news) {
                LOG.log(System.Logger.Level.WARNING, "turned away: " + mismatch(from, before, id));
            }
            return Verdict.FOREIGN;
        }
        replace(before, id, now);
        return Verdict.REPLACED;
    }

    private void replace(StoreId before, StoreId id, long now) {
        others.clear();
        pinned = id;
        long ttl = longestTtl.get();
        long length = ttl == 0 ? 0 : ttl + ttl / CLOCK_SHARE + CLOCK_NANOS;
        pause = new Pause(now + length, before, id);
        LOG.log(
                System.Logger.Level.WARNING,
                "all addresses lead to store " + id + " in place of store " + before
                        + ": its leases are lost, and nothing is acquired for another "
                        + Duration.ofNanos(length).toSeconds() + " s");
    }

    /** Why an answer was not taken, in words. */
    public static String mismatch(String from, StoreId pinned, StoreId told) {
        return from + " serves store " + told + ", and this client's leases are in store " + pinned
                + ". Either the addresses lead to different stores, or a store was replaced by an"
                + " empty one";
    }

    /** Why nothing may be acquired now; empty if it may. */
    public Optional<StoreUnavailableException> refusal(long now) {
        Pause current = pause;
        if (current == null) {
            return Optional.empty();
        }
        long left = current.until - now;
        if (left <= 0) {
            return Optional.empty();
        }
        return Optional.of(new StoreUnavailableException("store " + current.now
                + " has taken the place of store " + current.before
                + "; nothing is acquired for another " + (left / 1_000_000_000 + 1)
                + " s, until leases of that store have run out"));
    }
}
