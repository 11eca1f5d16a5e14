// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * The calling thread was interrupted while it waited for a lock. Nothing is held, the request was
 * withdrawn, and the thread's interrupt flag is set again.
 */
public final class LockInterruptedException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    public LockInterruptedException(Claim claim, InterruptedException cause) {
        super("interrupted while waiting for lock '" + claim.label() + "'", cause);
    }
}
