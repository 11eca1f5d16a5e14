// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.StoreId;
import io.leasehold.spi.LeaseEvents;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
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

    private final AtomicReference<@Nullable Known> known = new AtomicReference<>();
    private final Set<Told> listeners = ConcurrentHashMap.newKeySet();

    /** An id, and what the script is told of it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the class
    private record Known(StoreId id, byte[] text) {}

    /** A listener; the same one may be there twice. */
    private static final class Told {
        private final Consumer<StoreId> listener;

        Told(Consumer<StoreId> listener) {
            this.listener = listener;
        }
    }

    Optional<StoreId> now() {
        return Optional.ofNullable(known.get()).map(Known::id);
    }

    LeaseEvents.Subscription subscribe(Consumer<StoreId> listener) {
        Told told = new Told(listener);
        listeners.add(told);
        return () -> listeners.remove(told);
    }

    /** What the script is told with each call, with the id that is known. */
    byte[] addTo(byte[] settings) {
        Known now = known.get();
        if (now == null) {
            return settings;
        }
        byte[] with = settings.clone();
        System.arraycopy(now.text, 0, with, BEHIND_NUMBERS, LENGTH);
        return with;
    }

    /** Takes what came beside answers, if it is a store id. */
    boolean deliver(List<?> fields) {
        if (!Wire.string(fields.get(0)).equals("I")) {
            return false;
        }
        StoreId told = StoreId.parse(Wire.string(fields.get(1)));
        Known before = known.getAndSet(new Known(told, Wire.text(told.toString())));
        if (before != null && !before.id.equals(told)) {
            String news = "Redis has forgotten store " + before.id
                    + " and all its leases; it is store " + told + " now";
            LOG.log(System.Logger.Level.WARNING, news);
            listeners.forEach(each -> each.listener.accept(told));
        }
        return true;
    }
}
