// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a guard owes that runs transactions of its own, on every database. */
abstract class TransactionGuardRules {

    final Database database;
    final TransactionGuard guard;

    TransactionGuardRules(Database database) {
        this.database = database;
        this.guard = JdbcGuard.create().on(database.pool(), "ledger/42");
    }

    @BeforeEach
    void createTables() {
        database.run(JdbcGuard.create().schema());
        database.run("create table notes (id int primary key, note varchar(100))");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    @Test
    void aChangeThatThrowsRollsBackMarkAndData() {
        guard.seal(token(5));
        assertThatThrownBy(() -> guard.write(token(6), connection -> {
                    insert(connection, 1);
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no")
                .hasNoSuppressedExceptions();
        assertThatThrownBy(() -> guard.write(token(6), connection -> {
                    insert(connection, 1);
                    throw new AssertionError("an error too");
                }))
                .hasMessage("an error too");

        assertThat(guard.mark()).contains(token(5));
        assertThat(database.text("select count(*) from notes")).isEqualTo("0");
    }

    @Test
    void anSqlExceptionOfTheChangeIsPassedOnWithItsState() {
        assertThatExceptionOfType(JdbcGuardException.class)
                .isThrownBy(() -> guard.useTransaction(token(6), connection -> {
                    insert(connection, 1);
                    throw new SQLException("lost", "40001");
                }))
                .withMessage("the change of name:ledger/42 was rolled back: lost")
                .satisfies(failure -> {
                    assertThat(failure.sqlState()).isEqualTo("40001");
                    assertThat(failure.sqlException().getMessage()).isEqualTo("lost");
                });
        assertThat(guard.mark()).isEmpty();
        assertThat(database.text("select count(*) from notes")).isEqualTo("0");
    }

    @Test
    void aResultIsReturnedAfterTheCommit() {
        long count = guard.<Long>inTransaction(token(6), connection -> {
            insert(connection, 1);
            return Database.number(connection, "select count(*) from notes");
        });
        assertThat(count).isEqualTo(1);
        assertThat(database.text("select count(*) from notes")).isEqualTo("1");
    }

    @Test
    void aStaleChangeDoesNotRunAndItsConnectionIsGivenBack() throws SQLException {
        guard.seal(token(6));
        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guard.useTransaction(token(5), connection -> {
                        throw new AssertionError("ran");
                    }))
                    .withMessage("stale token 5: ledger/42 has seen token 6");
        }
        assertThat(database.pool().idle()).isEqualTo(1);
    }

    @Test
    void autoCommitIsRestoredAndIsolationLeftAlone() throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        }
        guard.useTransaction(token(1), connection -> {
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(connection.getTransactionIsolation())
                    .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
        });
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> JdbcGuard.create()
                        .on(database.pool(), "ledger/42")
                        .useTransaction(token(2), connection -> {
                            throw new StaleTokenException("other", token(1), token(2));
                        }));
        try (Connection connection = database.connect()) {
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.getTransactionIsolation())
                    .isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
        }
        guard.seal(token(2));
        assertThat(guard.mark()).contains(token(2));
        try (Connection connection = database.connect()) {
            assertThat(connection.getAutoCommit()).isFalse();
        }
        assertThat(database.pool().idle()).isEqualTo(1);
    }

    @Test
    void aDatabaseThatCannotBeReachedMeansNothingHappened() {
        TransactionGuard unreachable =
                JdbcGuard.create().on(new Pool("jdbc:none:nowhere"), "ledger/42");
        assertThatExceptionOfType(JdbcGuardException.class)
                .isThrownBy(() -> unreachable.seal(token(1)))
                .withMessageContaining("was rolled back");
        assertThatExceptionOfType(JdbcGuardException.class).isThrownBy(unreachable::mark);
    }

    static void insert(Connection connection, int id) {
        Database.update(connection, "insert into notes values (?, 'x')", id);
    }

    static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
