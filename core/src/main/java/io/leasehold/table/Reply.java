// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.TokenState;

/**
 * Where the answer to one acquire attempt goes: at once or after queueing, exactly once. Called
 * from within an operation of the table, hence under whatever lock its driver holds: note the
 * answer, pass it on later.
 */
public interface Reply {

    void settle(Acquisition outcome);

    /** The same for a grant, with what a node of a quorum says of its token. */
    default void settle(Acquisition.Granted granted, TokenState state) {
        settle(granted);
    }

    /**
     * The attempt is not answered: a limit was hit, a repeat took its place, or the table was
     * closed.
     */
    void fail(LeaseholdException reason);
}
