// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * The lease is over although its holder did not close it. Another may hold the lock by now: stop,
 * and treat what was written since as unprotected unless a guard admitted it.
 */
public final class LeaseLostException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient Holding holding;

    public LeaseLostException(Holding holding, String why) {
        this(holding, why, null);
    }

    public LeaseLostException(Holding holding, String why, @Nullable Throwable cause) {
        super("lease lost: " + why + "; " + holding, cause);
        this.holding = holding;
    }

    /** What was held, by whom, under which token. */
    public Holding holding() {
        return holding;
    }
}
