// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.time.Duration;

/**
 * An engine as a test needs it: an empty store, and a way to let time pass for it. Used by one thread at a time.
 */
public interface StoreUnderTest extends AutoCloseable {

    /** The store, empty at first; the same at every call. */
    LeaseStore store();

    /**
     * Lets time pass in the store: advances a virtual clock, or really waits where the clock is foreign.
     *
     * @param span at least how long; the less above it the better
     */
    void pass(Duration span);

    /** The reading of a monotonic clock that agrees with the store's about how much time passes. */
    long nanos();

    /** The time that clients of the store live by: the machine's, or the one that the store runs on. */
    default Time time() {
        return Time.system();
    }

    /**
     * Returns when every request sent so far has reached the store, for engines where a later one could overtake
     * it on the way. Engines that decide within the call have nothing to do.
     */
    default void settle() {}

    /** Closes the store and whatever was opened for it. Idempotent. */
    @Override
    void close();

    /** A store that runs on virtual time. */
    static StoreUnderTest on(VirtualTime time, LeaseStore store) {
        return new StoreUnderTest() {
            @Override
            public LeaseStore store() {
                return store;
            }

            @Override
            public void pass(Duration span) {
                time.advance(span);
            }

            @Override
            public Time time() {
                return time;
            }

            @Override
            public long nanos() {
                return time.nanos();
            }

            @Override
            public void close() {
                store.close();
            }
        };
    }
}
