// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * A write was to change something that the lease, or the guard it was made at, is not about:
 * another inode, bytes outside the leased range, a path outside the subtree. Nothing was written.
 * It is a mistake in the program, not a matter of time: trying again does not help.
 */
public final class ScopeMismatchException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient Scope target;

    private ScopeMismatchException(Scope target, String message) {
        super(message, null);
        this.target = target;
    }

    /** The lease does not cover the target. */
    public static ScopeMismatchException notLeased(Claim leased, Scope target) {
        return new ScopeMismatchException(
                target, "a lease on " + leased + " does not cover " + target);
    }

    /** The target is no part of the resource that the guard protects. */
    public static ScopeMismatchException notGuarded(Scope resource, Scope target) {
        return new ScopeMismatchException(
                target, "the guard of " + resource + " was asked about " + target);
    }

    /** What was to be written. */
    public Scope target() {
        return target;
    }

    /** Always {@link RefusalReason#SCOPE_MISMATCH}. */
    public RefusalReason reason() {
        return RefusalReason.SCOPE_MISMATCH;
    }
}
