// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * No answer came back. The operation <em>may have happened</em>: repeat it with the same lease id,
 * which is harmless, or withdraw it. Never treat it as refused.
 */
public final class OutcomeUnknownException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    public OutcomeUnknownException(String message) {
        this(message, null);
    }

    public OutcomeUnknownException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
