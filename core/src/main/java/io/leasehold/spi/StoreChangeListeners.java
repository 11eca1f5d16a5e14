// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.StoreId;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The listeners of an engine whose store id can change, see {@link LeaseStore#onStoreChange}. Thread-safe.
 *
 * <p>No answer under the new id may be delivered before the listeners have returned. So an engine whose
 * answers come on several threads calls {@link #tell} under the lock that each answer with that id takes.
 */
public final class StoreChangeListeners {

    private static final System.Logger LOG = System.getLogger(LeaseStore.class.getName());

    private final Set<Entry> entries = ConcurrentHashMap.newKeySet();

    /** One listener; the same consumer may be there twice. */
    private static final class Entry {
        private final Consumer<StoreId> listener;

        Entry(Consumer<StoreId> listener) {
            this.listener = listener;
        }
    }

    /** No listeners yet. */
    public StoreChangeListeners() {}

    /** As {@link LeaseStore#onStoreChange} says. */
    public LeaseEvents.Subscription add(Consumer<StoreId> listener) {
        Entry entry = new Entry(listener);
        entries.add(entry);
        return () -> entries.remove(entry);
    }

    /** Calls each listener with the new id. An exception of one is logged and keeps back no other. */
    public void tell(StoreId now) {
        for (Entry entry : entries) {
            try {
                entry.listener.accept(now);
            } catch (Throwable e) { // the answer that told of the change must not be lost
                LOG.log(System.Logger.Level.WARNING, "a listener of store changes failed", e);
            }
        }
    }
}
