// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The leases that are over, remembered for a while so that a late repeat of a request is
 * recognised.
 */
final class RetryMemory {

    /** How a lease or request ended. */
    enum End {
        RELEASED,
        COMPLETED,
        EXPIRED,
        WITHDRAWN
    }

    /** One that is over; the token is 0 where none was drawn. */
    record Ended(End end, long token, long at) {}

    private final Map<LeaseId, Ended> ended = new LinkedHashMap<>();
    private final long window;
    private final int capacity;

    RetryMemory(long window, int capacity) {
        this.window = window;
        this.capacity = capacity;
    }

    void remember(LeaseId id, End end, long token, long now) {
        ended.remove(id); // so that it goes to the end of the order of forgetting
        ended.put(id, new Ended(end, token, now));
        Iterator<Ended> oldest = ended.values().iterator();
        while (oldest.hasNext() && (isForgotten(oldest.next(), now) || ended.size() > capacity)) {
            oldest.remove();
        }
    }

    @Nullable
    Ended recall(LeaseId id, long now) {
        Ended found = ended.get(id);
        return found == null || isForgotten(found, now) ? null : found;
    }

    /** Whether the lease ended this way under this token: the caller repeats what it did. */
    boolean isRepeat(LeaseId id, End end, long token, long now) {
        Ended found = recall(id, now);
        return found != null && found.end == end && found.token == token;
    }

    private boolean isForgotten(Ended found, long now) {
        return now - found.at >= window;
    }
}
