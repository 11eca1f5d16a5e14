// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * The store does not do this for this caller, whatever the state of its leases. Nothing happened,
 * and the same request will be refused again until someone changes the request or the permissions.
 */
public final class RequestRefusedException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final Why why;

    /** What stands in the way. */
    public enum Why {
        /** The request breaks a rule of the store. */
        INVALID,
        /** The store does not know the caller. */
        UNAUTHENTICATED,
        /** The caller may not do this here. */
        NOT_PERMITTED
    }

    public RequestRefusedException(Why why, String message) {
        super(message, null);
        this.why = why;
    }

    /** What stands in the way. */
    public Why why() {
        return why;
    }
}
