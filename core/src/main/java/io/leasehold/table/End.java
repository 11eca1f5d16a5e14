// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

/** How a lease or request ended. */
public enum End {
    RELEASED,
    COMPLETED,
    EXPIRED,
    /** Taken back by its id, or taken from its holder. */
    WITHDRAWN
}
