// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/**
 * A listener to what happens in a store. Called for one event at a time, for events of overlapping
 * scopes in the order in which they happened, on whatever thread caused or carries them: it must be
 * quick and must not block. Expiry is noticed lazily, so its event may come late. Behind a listener
 * that can't keep up, events are dropped and counted in a {@link LeaseEvent.Missed}.
 */
@FunctionalInterface
public interface LeaseEvents {

    void on(LeaseEvent event);

    /** Ends a subscription. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {
        @Override
        void close();
    }
}
