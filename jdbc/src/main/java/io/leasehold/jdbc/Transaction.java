// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

/**
 * A transaction on a connection of its own. Closing it without a commit rolls back. Used by one
 * thread.
 */
final class Transaction implements AutoCloseable {

    private static final Logger LOG = System.getLogger(Transaction.class.getName());

    private final Connection connection;
    private final Scope resource;
    private final boolean autoCommit;
    private boolean committed;

    private Transaction(Connection connection, Scope resource, boolean autoCommit) {
        this.connection = connection;
        this.resource = resource;
        this.autoCommit = autoCommit;
    }

    static Transaction begin(DataSource dataSource, Scope resource) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                connection.setAutoCommit(false);
            }
            return new Transaction(connection, resource, autoCommit);
        } catch (SQLException e) {
            discard(connection, e);
            throw e;
        }
    }

    Connection connection() {
        return connection;
    }

    /** Commits, and tells "rolled back" from "no answer". */
    void commit() throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the change of " + resource + " switched auto-commit"
                    + " on: what it wrote after that is committed, and was not guarded");
        }
        try {
            connection.commit();
            committed = true;
        } catch (SQLException e) {
            if (JdbcGuardException.saysNotCommitted(e)) {
                throw e;
            }
            throw new OutcomeUnknownException(
                    "the commit of the change of " + resource + " got no answer: mark and data are"
                            + " both as before or both changed; read them to find out",
                    e);
        }
    }

    /**
     * Rolls back unless committed, and gives the connection back as it came. Switching auto-commit
     * on commits what is open, so that is done only after a commit or a rollback that worked; any
     * other connection is thrown away. Never throws: what happened is known by now.
     */
    @Override
    public void close() {
        try {
            if (!committed) {
                connection.rollback();
            }
            if (autoCommit) {
                connection.setAutoCommit(true);
            }
            connection.close();
        } catch (SQLException e) {
            discard(connection, e);
        }
    }

    private static void discard(Connection connection, SQLException why) {
        LOG.log(Level.DEBUG, "connection is thrown away", why);
        try {
            connection.abort(Runnable::run);
            connection.close();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "connection was broken already", e);
        }
    }
}
