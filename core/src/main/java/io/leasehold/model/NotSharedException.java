// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * The work was done and its result is {@link #value}, but it could not be left for others: they
 * will do the work again. The message says why.
 */
public final class NotSharedException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient Object value;
    private final transient FencingToken token;

    public NotSharedException(
            String work, FencingToken token, Object value, String why, @Nullable Throwable cause) {
        super(
                "'" + Text.excerpt(work) + "' was done under token " + token
                        + ", but its result was not shared: " + why,
                cause);
        this.value = value;
        this.token = token;
    }

    /** What the work returned. */
    public Object value() {
        return value;
    }

    /** The token under which it was done. */
    public FencingToken token() {
        return token;
    }
}
