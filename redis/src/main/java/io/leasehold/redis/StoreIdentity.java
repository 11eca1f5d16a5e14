// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.StoreId;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.StoreChangeListeners;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the store id that the script told last. Each call tells the script which one is known; the
 * script tells the right one beside its answers if that is another. Thread-safe.
 */
final class StoreIdentity {

    /** Of an id, as text. */
    static final int LENGTH = 32;

    private static final System.Logger LOG = System.getLogger(RedisLeaseStore.class.getName());
    private static final int BEHIND_NUMBERS = 1 + 4 * Double.BYTES;

    private final StoreChangeListeners listeners = new StoreChangeListeners();
    // guards changes of what is known; listeners are told under it
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Known known;

    /** An id, and what the script is told of it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the class
    private record Known(StoreId id, byte[] text) {}

    Optional<StoreId> now() {
        return Optional.ofNullable(known).map(Known::id);
    }

    LeaseEvents.Subscription subscribe(Consumer<StoreId> listener) {
        return listeners.add(listener);
    }

    /** What the script is told with each call, with the id that is known. */
    byte[] addTo(byte[] settings) {
        Known now = known;
        if (now == null) {
            return settings;
        }
        byte[] with = settings.clone();
        System.arraycopy(now.text, 0, with, BEHIND_NUMBERS, LENGTH);
        return with;
    }

    /**
     * Takes what came beside answers, if it is a store id. A change is told before the answers beside
     * this or any other copy of the new id are delivered: other copies wait for the lock, and no call
     * is sent with the new id, after which no copy would come, before the listeners have returned.
     */
    boolean deliver(List<?> fields) {
        if (!Wire.string(fields.get(0)).equals("I")) {
            return false;
        }
        StoreId told = StoreId.parse(Wire.string(fields.get(1)));
        lock.lock();
        try {
            Known before = known;
            if (before == null || !before.id.equals(told)) {
                if (before != null) {
                    tell(before.id, told);
                }
                known = new Known(told, Wire.text(told.toString()));
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    private void tell(StoreId before, StoreId now) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Redis has forgotten store " + before + " and all its leases; it is store " + now
                        + " now");
        listeners.tell(now);
    }
}
