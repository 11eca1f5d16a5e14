// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.OperationReport;
import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The guard of single rows of a table that can carry their mark themselves, in a column declared
 * {@code fence bigint not null default 0}. A row with 0 has seen no token. Each row is a resource
 * of its own.
 *
 * <p>{@link #update} judges and writes in one statement, and so needs no transaction. For anything
 * that is not "set these columns", call {@link #admit} first and write in the same transaction.
 *
 * <p>Immutable and thread-safe; holds no connection.
 */
public final class FencedRows {

    private final String table;
    private final String key;
    private final String column;
    private final Fence fence;
    private final LeaseholdListener listener;

    private FencedRows(String table, String key, String column, LeaseholdListener listener) {
        this.table = Identifiers.table(table);
        this.key = Identifiers.column(key);
        this.column = Identifiers.column(column);
        this.fence = new Fence(table, key, column, 0);
        this.listener = listener;
    }

    /**
     * The rows of a table, known by a unique column, with their marks in a column {@code fence}.
     *
     * @throws IllegalArgumentException if either is anything but a name
     */
    public static FencedRows of(String table, String key) {
        return new FencedRows(table, key, "fence", LeaseholdListener.none());
    }

    /** The same rows with their marks in another column. */
    public FencedRows fencedBy(String otherColumn) {
        return new FencedRows(table, key, otherColumn, listener);
    }

    /** The same rows, telling the listener of each token; the table is the resource. */
    public FencedRows reportingTo(LeaseholdListener other) {
        return new FencedRows(table, key, column, other);
    }

    /**
     * Sets columns of a row, and its mark, in one statement.
     *
     * @param values column names and what they become; nothing of it but the names is ever part of
     *     the statement's text
     * @throws StaleTokenException if the row has seen a newer token; nothing changed, and a
     *     transaction stays usable
     * @throws NoSuchRowException if there is no such row
     * @throws JdbcGuardException if the database failed; nothing is committed
     * @throws OutcomeUnknownException if no answer came in auto-commit mode: the row, mark
     *     included, is as before or changed
     */
    public void update(
            Connection connection,
            Object keyValue,
            FencingToken token,
            Map<String, ? extends @Nullable Object> values) {
        for (String name : values.keySet()) {
            if (name.equalsIgnoreCase(column) || name.equalsIgnoreCase(key)) {
                throw new IllegalArgumentException(
                        "column " + name + " is set by the guard or names the row: leave it out");
            }
        }
        report(
                FencedOperation.Kind.WRITE,
                token,
                () -> run(
                        connection,
                        keyValue,
                        row -> fence.update(
                                connection, new Fence.Change(keyValue, token, values), row)));
    }

    private void report(FencedOperation.Kind kind, FencingToken token, Runnable check) {
        OperationReport.ofCheck(
                listener, new FencedOperation(Scope.name(table), kind, token), check);
    }

    /**
     * Admits the writer to a row, in the connection's transaction, and locks the row until its end.
     *
     * @throws StaleTokenException if the row has seen a newer token; nothing changed, and the
     *     transaction stays usable
     * @throws NoSuchRowException if there is no such row
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws JdbcGuardException if the database failed; roll back
     */
    public void admit(Connection connection, Object keyValue, FencingToken token) {
        try {
            JdbcGuard.requireTransaction(connection);
        } catch (SQLException e) {
            throw new JdbcGuardException("no token was admitted to " + label(keyValue), e);
        }
        raise(FencedOperation.Kind.ADMIT, connection, keyValue, token);
    }

    /**
     * Shuts out all earlier holders of a row. Call it before the first read. It holds when the
     * transaction commits, in auto-commit mode at once.
     *
     * @throws StaleTokenException if the row has seen a newer token; nothing changed
     * @throws NoSuchRowException if there is no such row
     * @throws JdbcGuardException if the database failed; nothing is committed
     * @throws OutcomeUnknownException if no answer came in auto-commit mode
     */
    public void seal(Connection connection, Object keyValue, FencingToken token) {
        raise(FencedOperation.Kind.SEAL, connection, keyValue, token);
    }

    private void raise(
            FencedOperation.Kind kind, Connection connection, Object keyValue, FencingToken token) {
        report(
                kind,
                token,
                () -> run(
                        connection,
                        keyValue,
                        row -> fence.raise(connection, keyValue, token, row)));
    }

    /**
     * The highest token that a row has seen, if any was. Takes no lock.
     *
     * @throws NoSuchRowException if there is no such row
     */
    public Optional<FencingToken> mark(Connection connection, Object keyValue) {
        String row = label(keyValue);
        try {
            OptionalLong seen = fence.read(connection, keyValue);
            found(seen.isPresent(), row);
            return seen.getAsLong() == 0
                    ? Optional.empty()
                    : Optional.of(new FencingToken(seen.getAsLong()));
        } catch (SQLException e) {
            throw new JdbcGuardException("the mark of " + row + " can't be read", e);
        }
    }

    /** One statement on one row, of which it is told the label; false if there is no such row. */
    private interface OnRow {
        boolean run(String row) throws SQLException;
    }

    private void run(Connection connection, Object keyValue, OnRow statement) {
        String row = label(keyValue);
        boolean ownTransaction = false;
        try {
            ownTransaction = connection.getAutoCommit();
            found(statement.run(row), row);
        } catch (SQLException e) {
            if (ownTransaction && !JdbcGuardException.saysNotCommitted(e)) {
                throw new OutcomeUnknownException(
                        "the change of the " + row + " got no answer: it is as before or changed,"
                                + " with its mark; read it to find out",
                        e);
            }
            throw new JdbcGuardException("the " + row + " was not changed", e);
        }
    }

    private static void found(boolean found, String row) {
        if (!found) {
            throw new NoSuchRowException(row);
        }
    }

    private String label(Object keyValue) {
        return table + " row with " + key + " " + Identifiers.excerpt(keyValue.toString());
    }
}
