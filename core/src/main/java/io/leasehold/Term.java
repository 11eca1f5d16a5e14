// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.guard.Admission;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.Scope;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A time of leading, as its leader sees it: a lease on the office, renewed until the term ends. Its
 * number is the token: higher in every term, to be sent along with every write. Thread-safe.
 */
public final class Term {

    private final Lease lease;
    private final Executor callbacks;

    Term(Lease lease, Executor callbacks) {
        this.lease = lease;
        this.callbacks = callbacks;
    }

    /** The number of the term, and the fencing number to write with. */
    public FencingToken token() {
        return lease.token();
    }

    /** Whether this process may still take itself for the leader. Asks nobody; see {@link Lease}. */
    public boolean isValid() {
        return lease.isValid();
    }

    /** How long the term is valid without another renewal; zero when it is over. */
    public Duration remaining() {
        return lease.remaining();
    }

    /**
     * Does nothing while the term is valid.
     *
     * @throws LeaseLostException if it is over
     */
    public void ensureValid() {
        lease.ensureValid();
    }

    /**
     * What to show to a guard before writing the target.
     *
     * @throws io.leasehold.model.ScopeMismatchException if the target is not the office
     */
    public Admission admission(Scope target) {
        return lease.admission(target);
    }

    /**
     * Calls back once if the term is lost before it was resigned, no later than its deadline, or if
     * its candidate is closed while the body runs; at once if that has happened already. The
     * callbacks of an election come one at a time: be quick.
     */
    public void onLost(Consumer<? super LeaseLostException> listener) {
        lease.held()
                .lost
                .thenAccept(loss -> callbacks.execute(() -> ForeignCode.tell(listener, loss)));
    }

    /**
     * Ends the term. Whoever is next in line leads at once, though the body may still run: call it
     * when nothing more is done as the leader. Idempotent, never throws.
     */
    public void resign() {
        lease.close();
    }

    Lease lease() {
        return lease;
    }

    /** {@code scope=… token=… holder=…}. */
    @Override
    public String toString() {
        return lease.toString();
    }
}
