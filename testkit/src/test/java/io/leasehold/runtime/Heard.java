// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import io.leasehold.listener.AcquireBegan;
import io.leasehold.listener.AcquireEnded;
import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.FlightEnded;
import io.leasehold.listener.IdempotentCallEnded;
import io.leasehold.listener.LeaseEnded;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.RenewalEnded;
import io.leasehold.listener.TermBegan;
import io.leasehold.listener.TermEnded;
import io.leasehold.listener.TokenChecked;

import java.util.ArrayList;
import java.util.List;

/** Keeps what a listener is told, in order. Used by one thread. */
final class Heard implements LeaseholdListener {

    private final List<Object> events = new ArrayList<>();

    /** Those of one kind. */
    <E> List<E> of(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** The only one of its kind. */
    <E> E only(Class<E> kind) {
        List<E> found = of(kind);
        if (found.size() != 1) {
            throw new AssertionError(
                    found.size() + " of " + kind.getSimpleName() + " in " + events);
        }
        return found.get(0);
    }

    List<Object> all() {
        return List.copyOf(events);
    }

    void forget() {
        events.clear();
    }

    @Override
    public void onAcquireBegin(AcquireBegan acquire) {
        events.add(acquire);
    }

    @Override
    public void onAcquireEnd(AcquireEnded acquire) {
        events.add(acquire);
    }

    @Override
    public void onLeaseEnd(LeaseEnded lease) {
        events.add(lease);
    }

    @Override
    public void onRenewal(RenewalEnded renewal) {
        events.add(renewal);
    }

    @Override
    public void onOperationBegin(FencedOperation operation) {
        events.add(operation);
    }

    @Override
    public void onTokenCheck(TokenChecked check) {
        events.add(check);
    }

    @Override
    public void onOperationEnd(FencedOperation operation) {
        events.add(operation);
    }

    @Override
    public void onIdempotentCall(IdempotentCallEnded call) {
        events.add(call);
    }

    @Override
    public void onFlight(FlightEnded flight) {
        events.add(flight);
    }

    @Override
    public void onTermBegin(TermBegan term) {
        events.add(term);
    }

    @Override
    public void onTermEnd(TermEnded term) {
        events.add(term);
    }
}
