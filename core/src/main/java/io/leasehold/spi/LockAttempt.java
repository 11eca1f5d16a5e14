// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** What came of asking for a lock between processes without waiting. */
public sealed interface LockAttempt {

    /**
     * The caller has it now.
     *
     * @param lock to be closed
     */
    record Taken(DiskLock lock) implements LockAttempt {}

    /**
     * Somebody else has it.
     *
     * @param owner how the owner introduced itself; empty if it did not
     */
    record Held(String owner) implements LockAttempt {}
}
