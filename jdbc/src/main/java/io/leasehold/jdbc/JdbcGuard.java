// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.OperationReport;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import javax.sql.DataSource;

/**
 * The guard of whatever a database transaction changes. The marks are rows of a table in the same
 * database, one for each resource, so mark and data are committed together or not at all. Call
 * {@link #admit} as the first thing in a transaction; from then until its end the resource is
 * locked, and every other transaction that asks for it waits and is then judged on what this one
 * committed.
 *
 * <p>A resource has one mark, also if its scope has parts: holders of different parts of it shut
 * each other out. Parts that are leased separately are guarded as resources of their own.
 *
 * <p>Immutable and thread-safe; holds no connection.
 */
public final class JdbcGuard {

    /** The table that the marks are in unless another is named. */
    public static final String DEFAULT_TABLE = "leasehold_marks";

    private final String table;
    private final Fence marks;
    private final String insert;
    private final LeaseholdListener listener;

    private JdbcGuard(String table, LeaseholdListener listener) {
        this.table = Identifiers.table(table);
        this.listener = listener;
        this.marks = new Fence(table, "resource", "token", 1);
        this.insert = SqlFile.load("insert.sql", Map.of("table", table));
    }

    /** A guard with its marks in {@value #DEFAULT_TABLE}. */
    public static JdbcGuard create() {
        return withTable(DEFAULT_TABLE);
    }

    /**
     * A guard with its marks in the given table.
     *
     * @param table a name as in SQL, with its schema or without
     * @throws IllegalArgumentException if it is anything but a name
     */
    public static JdbcGuard withTable(String table) {
        return new JdbcGuard(table, LeaseholdListener.none());
    }

    /** The same guard, telling the listener of each token that it admits or refuses. */
    public JdbcGuard reportingTo(LeaseholdListener other) {
        return new JdbcGuard(table, other);
    }

    /**
     * Admits the writer to the named resource, in the transaction of the given connection.
     *
     * @throws StaleTokenException if the resource has seen a newer token; nothing changed, and the
     *     transaction stays usable
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws JdbcGuardException if the database failed; roll back
     */
    public void admit(Connection connection, String resource, FencingToken token) {
        Scope scope = Scope.name(resource);
        admit(connection, scope, Admission.of(token, scope));
    }

    /**
     * The same under a lease whose scope is known.
     *
     * @throws ScopeMismatchException if the target is no part of the resource; nothing changed
     */
    public void admit(Connection connection, Scope resource, Admission admission) {
        admit(FencedOperation.Kind.ADMIT, connection, resource, admission);
    }

    private void admit(
            FencedOperation.Kind kind, Connection connection, Scope resource, Admission admission) {
        OperationReport.ofCheck(
                listener,
                new FencedOperation(resource, kind, admission.token()),
                () -> raise(connection, resource, admission));
    }

    private void raise(Connection connection, Scope resource, Admission admission) {
        if (!resource.covers(admission.target())) {
            throw ScopeMismatchException.notGuarded(resource, admission.target());
        }
        try {
            requireTransaction(connection);
            raise(connection, resource, admission.token());
        } catch (SQLException e) {
            throw failed("no token was admitted to " + resource, e);
        }
    }

    /**
     * Shuts out all earlier holders of the named resource: from here on what is read can only be
     * changed by this token or a newer one. Call it before the first read. It holds at once for the
     * rest of the transaction, and for good when that commits.
     */
    public void seal(Connection connection, String resource, FencingToken token) {
        Scope scope = Scope.name(resource);
        seal(connection, scope, Admission.of(token, scope));
    }

    /** The same under a lease whose scope is known. */
    public void seal(Connection connection, Scope resource, Admission admission) {
        admit(FencedOperation.Kind.SEAL, connection, resource, admission);
    }

    /**
     * Checks, right before a commit, that the transaction is still the one in which the token was
     * admitted, and that the database would commit it. A transaction that was rolled back or
     * committed since the admission has lost the lock on the resource, so that a newer holder may
     * have come in between. After an SQL error that was swallowed, PostgreSQL answers a commit with
     * a rollback, and its driver does not tell. Takes the lock on the mark again, and so may wait
     * for a newer holder's transaction.
     *
     * @throws IllegalStateException if the transaction has ended since the admission, or the
     *     connection is in auto-commit mode; roll back
     * @throws JdbcGuardException if the database failed, or would not commit; roll back
     */
    public void confirm(Connection connection, String resource, FencingToken token) {
        Scope scope = Scope.name(resource);
        confirm(connection, scope, Admission.of(token, scope));
    }

    /** The same under a lease whose scope is known. */
    public void confirm(Connection connection, Scope resource, Admission admission) {
        try {
            requireTransaction(connection);
            confirm(connection, resource, admission.token());
        } catch (SQLException e) {
            throw failed("the change of " + resource + " must be rolled back", e);
        }
    }

    /** The highest token that the named resource has seen, if any was. Takes no lock. */
    public Optional<FencingToken> mark(Connection connection, String resource) {
        return mark(connection, Scope.name(resource));
    }

    /** The highest token that the resource has seen, if any was. Takes no lock. */
    public Optional<FencingToken> mark(Connection connection, Scope resource) {
        try {
            OptionalLong token = marks.read(connection, resource.toString());
            return token.isPresent()
                    ? Optional.of(new FencingToken(token.getAsLong()))
                    : Optional.empty();
        } catch (SQLException e) {
            throw failed("the mark of " + resource + " can't be read", e);
        }
    }

    /** The named resource as a {@link Guard} that runs each change in a transaction of its own. */
    public TransactionGuard on(DataSource dataSource, String resource) {
        return on(dataSource, Scope.name(resource));
    }

    /** The resource as a {@link Guard} that runs each change in a transaction of its own. */
    public TransactionGuard on(DataSource dataSource, Scope resource) {
        return new TransactionGuard(this, dataSource, resource);
    }

    /** The statement that makes the table, for a migration tool. */
    public String schema() {
        return SqlFile.load("schema.sql", Map.of("table", table));
    }

    /**
     * Makes the table unless it is there. Any number of processes may do so at once.
     *
     * @throws IllegalStateException if the connection is in a transaction: some databases would
     *     commit it
     */
    public void createSchema(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            if (!connection.getAutoCommit()) {
                throw new IllegalStateException("createSchema needs a connection in auto-commit"
                        + " mode: some databases commit when a table is made");
            }
            createUnlessThere(statement);
        } catch (SQLException e) {
            throw new JdbcGuardException("table " + table + " can't be made", e);
        }
    }

    /** Another process may win, or have made it with rights that this one lacks. */
    private void createUnlessThere(Statement statement) throws SQLException {
        try {
            statement.execute(schema());
        } catch (SQLException e) {
            try {
                statement.execute("select resource, token from " + table + " where 1 = 0");
            } catch (SQLException notThere) {
                e.addSuppressed(notThere);
                throw e;
            }
        }
    }

    private void raise(Connection connection, Scope resource, FencingToken token)
            throws SQLException {
        String label = Claim.exclusive(resource).label();
        for (int attempt = 0; attempt < Fence.ATTEMPTS; attempt++) {
            if (marks.raise(connection, resource.toString(), token, label)
                    || insert(connection, resource, token)) {
                return;
            }
        }
        throw Fence.conflict(label);
    }

    /**
     * Takes the mark's lock again, by the statement that took it first. A transaction that has not
     * ended since has the lock, and finds its own mark. Anything else means that it has ended: even
     * a lower mark, because its holder was not shut out from what was read under the admission.
     */
    void confirm(Connection connection, Scope resource, FencingToken token) throws SQLException {
        if (marks.isHeld(connection, resource.toString(), token)) {
            return;
        }
        OptionalLong mark = marks.read(connection, resource.toString());
        boolean newer = mark.isPresent() && mark.getAsLong() > token.value();
        throw new IllegalStateException(
                "the transaction in which token " + token + " was admitted to " + resource
                        + " has ended before its time, by a commit or a rollback of the change's"
                        + " own; now "
                        + (mark.isPresent()
                                ? "the mark is " + mark.getAsLong()
                                : "there is no mark")
                        + ". What was written since is not guarded and is not to be committed",
                newer
                        ? new StaleTokenException(
                                Claim.exclusive(resource).label(),
                                token,
                                new FencingToken(mark.getAsLong()))
                        : null);
    }

    /** The first mark; false if another transaction has made it in the meantime. */
    private boolean insert(Connection connection, Scope resource, FencingToken token)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setString(1, resource.toString());
            statement.setLong(2, token.value());
            statement.executeUpdate();
        } catch (SQLException e) {
            if (!JdbcGuardException.stateOf(e).equals("23505")) {
                throw e;
            }
            connection.rollback(before);
            return false;
        }
        connection.releaseSavepoint(before);
        return true;
    }

    static void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the connection is in auto-commit mode: the mark would"
                    + " be committed without the data. Call setAutoCommit(false) first");
        }
    }

    /** SQLStates of class 42 are about what the statement names: a table, a column, rights. */
    private JdbcGuardException failed(String what, SQLException failure) {
        boolean noTable = JdbcGuardException.stateOf(failure).startsWith("42");
        String hint = "; is table " + table + " there, as schema.sql makes it? Call createSchema";
        return new JdbcGuardException(noTable ? what + hint : what, failure);
    }
}
