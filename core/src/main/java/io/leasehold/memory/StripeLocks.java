// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.table.LeaseTable;

import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * A lock for each stripe of the table. An operation takes the one of its stripe; if it finds that a
 * lease or waiter reaches from there into other stripes, it takes all of them instead, always in
 * the same order.
 */
final class StripeLocks {

    static final int COUNT = 32;

    private final ReentrantLock[] locks = IntStream.range(0, COUNT)
            .mapToObj(i -> new ReentrantLock())
            .toArray(ReentrantLock[]::new);

    /**
     * Locks what an operation in the given stripe needs and says what that was: the stripe, or all.
     */
    @SuppressWarnings("LockNotBeforeTry") // the caller unlocks, in a finally block
    int lock(int stripe, LeaseTable table) {
        if (stripe != LeaseTable.ALL) {
            locks[stripe].lock();
            if (table.isIsolated(stripe)) {
                return stripe;
            }
            locks[stripe].unlock();
        }
        for (ReentrantLock lock : locks) {
            lock.lock();
        }
        return LeaseTable.ALL;
    }

    void unlock(int locked) {
        if (locked != LeaseTable.ALL) {
            locks[locked].unlock();
            return;
        }
        for (ReentrantLock lock : locks) {
            lock.unlock();
        }
    }
}
