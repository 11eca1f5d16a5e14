// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * The store did not take the operation. The caller may conclude that it <em>did not happen</em>,
 * and try again.
 */
public final class StoreUnavailableException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    public StoreUnavailableException(String message) {
        this(message, null);
    }

    public StoreUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
