// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;

import javax.sql.DataSource;

/**
 * One resource of a {@link JdbcGuard}, each change of which is a transaction of its own: begin,
 * admit, change, confirm, commit. Whatever is thrown rolls it back, the mark with it. The
 * connection's auto-commit mode is restored, its isolation level is left alone. Thread-safe.
 *
 * <p>The guard ends the transaction, never the change: a change that rolled back and went on would
 * write without the lock on the mark, behind the back of a newer holder. So its connection refuses
 * {@code commit}, {@code rollback}, {@code setAutoCommit(true)}, {@code close}, {@code abort} and
 * {@code setTransactionIsolation}; savepoints are allowed, with {@code rollback(savepoint)}. It is
 * not unwrapped, and is closed when the change is over. To try again, call the guard again.
 */
public final class TransactionGuard implements Guard<Connection> {

    private final JdbcGuard guard;
    private final DataSource dataSource;
    private final Scope resource;

    TransactionGuard(JdbcGuard guard, DataSource dataSource, Scope resource) {
        this.guard = guard;
        this.dataSource = dataSource;
        this.resource = resource;
    }

    @Override
    public Scope resource() {
        return resource;
    }

    /** {@link #inTransaction(Admission, SqlChange)} for a change that throws no SQLException. */
    @Override
    public <T> T change(Admission admission, Function<? super Connection, ? extends T> change) {
        return inTransaction(admission, change::apply);
    }

    /**
     * Admits the writer and makes the change, in one transaction.
     *
     * @return what the change returned; it is committed
     * @throws StaleTokenException if the resource has seen a newer token; the change did not run
     * @throws ScopeMismatchException if the target is no part of the resource; the change did not
     *     run
     * @throws JdbcGuardException if the database failed, or the change with an SQLException; all
     *     was rolled back
     * @throws IllegalStateException if the change ended its transaction or tried to; all was rolled
     *     back, except what it committed as SQL text
     * @throws OutcomeUnknownException if the commit got no answer: mark and data are both as before
     *     or both changed
     */
    public <T> T inTransaction(Admission admission, SqlChange<? extends T> change) {
        try (Transaction transaction = Transaction.begin(dataSource, resource)) {
            guard.admit(transaction.connection(), resource, admission);
            T result = new GuardedConnection(transaction.connection(), resource).run(change);
            guard.confirm(transaction.connection(), resource, admission.token());
            transaction.commit();
            return result;
        } catch (SQLException e) {
            throw new JdbcGuardException("the change of " + resource + " was rolled back", e);
        }
    }

    /** {@link #inTransaction(Admission, SqlChange)} of the whole resource. */
    public <T> T inTransaction(FencingToken token, SqlChange<? extends T> change) {
        return inTransaction(Admission.of(token, resource), change);
    }

    /** {@link #inTransaction(Admission, SqlChange)} without a result. */
    public void useTransaction(Admission admission, SqlWrite write) {
        boolean unused = inTransaction(admission, connection -> {
            write.accept(connection);
            return true;
        });
    }

    /** {@link #useTransaction(Admission, SqlWrite)} of the whole resource. */
    public void useTransaction(FencingToken token, SqlWrite write) {
        useTransaction(Admission.of(token, resource), write);
    }

    /** The highest token that the resource has seen: it has one mark for all of its parts. */
    @Override
    public Optional<FencingToken> mark(Scope part) {
        if (!resource.covers(part)) {
            throw ScopeMismatchException.notGuarded(resource, part);
        }
        try (Connection connection = dataSource.getConnection()) {
            Optional<FencingToken> mark = guard.mark(connection, resource);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return mark;
        } catch (SQLException e) {
            throw new JdbcGuardException("the mark of " + resource + " can't be read", e);
        }
    }
}
