// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import org.jspecify.annotations.Nullable;

/**
 * The root of all exceptions of Leasehold. Each subclass answers one question: what may the caller
 * conclude?
 */
public abstract sealed class LeaseholdException extends RuntimeException
        permits DamagedFileException,
                IdempotencyConflictException,
                InProgressException,
                LeaseLostException,
                LimitExceededException,
                LockInterruptedException,
                LockTimeoutException,
                NotSharedException,
                OutcomeUnknownException,
                RequestRefusedException,
                ScopeMismatchException,
                StaleTokenException,
                StoreUnavailableException,
                WorkFailedException {

    private static final long serialVersionUID = 1;

    LeaseholdException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
