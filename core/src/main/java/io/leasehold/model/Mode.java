// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/** How a scope is held: by one holder alone, or together with other shared holders. */
public enum Mode {
    EXCLUSIVE,
    SHARED;

    /** Two leases on overlapping scopes exclude each other unless both are shared. */
    public boolean excludes(Mode other) {
        return this == EXCLUSIVE || other == EXCLUSIVE;
    }
}
