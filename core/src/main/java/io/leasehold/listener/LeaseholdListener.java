// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

/**
 * Hears what this process sees of its locks: every acquire, lease, renewal, token check, idempotent
 * call, flight and term. Meters and traces stand on it. Set it by {@code
 * LeaseholdOptions.withListener} and for guards by {@code Guard.reportingTo}; for what happens in a
 * store, whoever causes it, subscribe to the store's {@link io.leasehold.spi.LeaseEvents}.
 *
 * <p>Where an event belongs to a blocking call of the user's, the listener is called by the thread
 * of that call, before it returns. Everything else is told by one thread of the {@code Leasehold}'s
 * own, {@code leasehold-listener}. No lock is held meanwhile. So a slow listener slows down the
 * calls that it hears of, and nothing else: renewals, losses and other callers do not wait for it.
 * For the thread of its own, 4,096 events may wait; more are dropped and counted, see {@link
 * #onMissed}. What a listener throws is logged and changes nothing.
 *
 * <p>Methods may be called by several threads at once. New ones may be added; they will do nothing
 * by default.
 */
public interface LeaseholdListener {

    /** Hears nothing, and costs nothing. */
    static LeaseholdListener none() {
        return NoListener.NONE;
    }

    /** An acquire begins. */
    default void onAcquireBegin(AcquireBegan acquire) {}

    /** An acquire ended, with a lease or without. */
    default void onAcquireEnd(AcquireEnded acquire) {}

    /** A lease ended. */
    default void onLeaseEnd(LeaseEnded lease) {}

    /** A renewal was answered, or failed. */
    default void onRenewal(RenewalEnded renewal) {}

    /** A token is about to be checked, and an operation to be done if it passes. */
    default void onOperationBegin(FencedOperation operation) {}

    /** A token was checked, by a guard or by the store. */
    default void onTokenCheck(TokenChecked check) {}

    /** The operation is over, whether it was done, refused or failed. */
    default void onOperationEnd(FencedOperation operation) {}

    /** An idempotent call ended. */
    default void onIdempotentCall(IdempotentCallEnded call) {}

    /** A flight ended: the callers of one key in this process have their answer. */
    default void onFlight(FlightEnded flight) {}

    /** This process was elected. */
    default void onTermBegin(TermBegan term) {}

    /** This process leads no more. */
    default void onTermEnd(TermEnded term) {}

    /** So many events were dropped because this listener is too slow. */
    default void onMissed(long events) {}
}
