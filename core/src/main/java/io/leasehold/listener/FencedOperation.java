// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

/**
 * Something that is done only if a token passes.
 *
 * @param resource what is protected, as a whole
 * @param token shown by whoever does it
 */
public record FencedOperation(Scope resource, Kind kind, FencingToken token) {

    /** What is done. */
    public enum Kind {
        /** A guarded resource is changed. */
        WRITE,
        /** A guard's mark is raised, and nothing else changes. */
        ADMIT,
        /** Earlier holders are shut out before a read. */
        SEAL,
        /** The store is asked whether it knows the lease. */
        VALIDATE
    }
}
