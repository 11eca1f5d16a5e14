// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * The idempotency key was used before with another payload. The call did not run: use a new key.
 */
public final class IdempotencyConflictException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final String key;

    public IdempotencyConflictException(String key) {
        super(
                "idempotency key '" + Text.excerpt(key) + "' was used before with another payload",
                null);
        this.key = key;
    }

    /** The key in question. */
    public String key() {
        return key;
    }
}
