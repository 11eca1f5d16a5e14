// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * A resource has seen a newer token and refused this one. Nothing was written. The caller's lease
 * is over and a newer holder was here: stop, and acquire again if the work is still wanted.
 */
public final class StaleTokenException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient FencingToken token;
    private final transient FencingToken mark;

    public StaleTokenException(String resource, FencingToken token, FencingToken mark) {
        super("stale token " + token + ": " + resource + " has seen token " + mark, null);
        this.token = token;
        this.mark = mark;
    }

    /** The token that was refused. */
    public FencingToken token() {
        return token;
    }

    /** The highest token the resource has seen. */
    public FencingToken mark() {
        return mark;
    }
}
