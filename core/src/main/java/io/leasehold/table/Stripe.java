// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.internal.TimerHeap;
import io.leasehold.model.LeaseId;

import java.util.HashMap;
import java.util.Map;

/** A part of the table whose scopes overlap no scope of another part. */
final class Stripe {

    final ScopeIndex index = new ScopeIndex();

    /** Leases and records by when they end. */
    final TimerHeap<TimerHeap.Timed> ends = new TimerHeap<>();

    /** Waiters by when to look at them again. */
    final TimerHeap<Waiter> wakeUps = new TimerHeap<>();

    final Map<LeaseId, Waiter> waiters = new HashMap<>();
    /** How many scopes here belong to leases and waiters that span stripes. */
    int spanned;

    boolean isQuiet(long now) {
        return !ends.isDue(now) && !wakeUps.isDue(now);
    }
}
