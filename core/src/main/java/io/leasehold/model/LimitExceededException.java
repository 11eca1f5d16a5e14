// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * A limit stands in the way. Nothing happened, and the same request will fail again until there is
 * room.
 */
public final class LimitExceededException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final String limit;
    private final long maximum;

    public LimitExceededException(String limit, long maximum, String message) {
        super(message, null);
        this.limit = limit;
        this.maximum = maximum;
    }

    /** Which limit, in words: "waiters per scope". */
    public String limit() {
        return limit;
    }

    /** The most that is allowed. */
    public long maximum() {
        return maximum;
    }
}
