// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseId;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything at one scope: its holders (one, or several that share), its queue, its record. Exists
 * only while there is any of it.
 */
final class ScopeNode {

    final Scope scope;
    private @Nullable LiveLease holder;
    private @Nullable Map<LeaseId, LiveLease>
            sharers; // when more than one; then holder is the first of them

    @Nullable
    WaitQueue queue;

    @Nullable
    KeptRecord kept;

    ScopeNode(Scope scope) {
        this.scope = scope;
    }

    boolean isEmpty() {
        return holder == null && queue == null && kept == null;
    }

    @Nullable
    LiveLease find(LeaseId id) {
        if (sharers != null) {
            return sharers.get(id);
        }
        return holder != null && holder.id.equals(id) ? holder : null;
    }

    void add(LiveLease lease) {
        if (holder == null) {
            holder = lease;
            return;
        }
        if (sharers == null) {
            sharers = new LinkedHashMap<>();
            sharers.put(holder.id, holder);
        }
        sharers.put(lease.id, lease);
    }

    void remove(LiveLease lease) {
        if (sharers == null) {
            holder = null;
            return;
        }
        sharers.remove(lease.id);
        holder = sharers.values().iterator().next();
        if (sharers.size() == 1) {
            sharers = null;
        }
    }

    Collection<LiveLease> holders() {
        if (sharers != null) {
            return sharers.values();
        }
        return holder == null ? List.of() : List.of(holder);
    }

    /** Some holder, the earliest. */
    @Nullable
    LiveLease anyHolder() {
        return holder;
    }

    /** The holder, if it does not share. */
    @Nullable
    LiveLease exclusiveHolder() {
        return holder != null && holder.claim.mode() == Mode.EXCLUSIVE ? holder : null;
    }

    /** Some holder whose lease has not run out and excludes the mode. */
    @Nullable
    LiveLease holderAt(long now, Mode mode) {
        for (LiveLease lease : holders()) {
            if (lease.isHeld(now) && lease.claim.mode().excludes(mode)) {
                return lease;
            }
        }
        return null;
    }

    void enqueue(Waiter waiter) {
        if (queue == null) {
            queue = new WaitQueue();
        }
        queue.add(waiter);
    }

    void dequeue(Waiter waiter) {
        if (queue != null && queue.remove(waiter)) {
            queue = null;
        }
    }

    int waiters() {
        return queue == null ? 0 : queue.size();
    }
}
