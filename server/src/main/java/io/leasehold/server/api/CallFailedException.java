// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.protocol.v1.Failure;

/** A call that has no reply, as its caller is told. */
public final class CallFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    public CallFailedException(Failure failure) {
        super(failure.getMessage(), null, false, false);
        this.failure = failure;
    }

    /** What the caller is told. */
    public Failure failure() {
        return failure;
    }
}
