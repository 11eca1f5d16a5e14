// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import java.sql.SQLException;

/**
 * The database failed before anything was committed. The caller may conclude that neither the mark
 * nor the data has changed, once its transaction is rolled back; a guard that runs transactions of
 * its own has done so. A commit without an answer is never reported as this, but as {@link
 * io.leasehold.model.OutcomeUnknownException}.
 *
 * <p>Serialization failures and deadlocks (SQLState 40001, 40P01) come out as this too: run the
 * whole transaction again.
 */
public final class JdbcGuardException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final SQLException failure;

    JdbcGuardException(String what, SQLException failure) {
        super(what + ": " + failure.getMessage(), failure);
        this.failure = failure;
    }

    /** What the database or its driver said. */
    public SQLException sqlException() {
        return failure;
    }

    /** Its five characters, empty if there are none. */
    public String sqlState() {
        return stateOf(failure);
    }

    /**
     * Whether the database has answered, and the answer is no: bad values (class 22), a constraint
     * (23), a conflict (40; 40003 is "unknown"), a bad statement (42), or a commit after an error
     * that was swallowed (25P02). Anything else may be a lost connection.
     */
    static boolean saysNotCommitted(SQLException failure) {
        String state = stateOf(failure);
        return state.equals("25P02")
                || (state.matches("(22|23|40|42).*") && !state.equals("40003"));
    }

    static String stateOf(SQLException failure) {
        String state = failure.getSQLState();
        return state == null ? "" : state;
    }
}
