// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The guard ends the transaction. A change that does so by itself would write unguarded. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class TransactionEndsRules {

    private final Database database;
    private final JdbcGuard marks = JdbcGuard.create();
    private final TransactionGuard guard;

    TransactionEndsRules(Database database) {
        this.database = database;
        this.guard = marks.on(database.pool(), "ledger/42");
    }

    @BeforeEach
    void createTables() {
        database.run(marks.schema());
        database.run("create table accounts (id int primary key, balance int)");
        database.run("insert into accounts values (42, 101)");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    /** Something that a change must not do with its connection. */
    private interface End {
        void on(Connection connection) throws SQLException;
    }

    @Test
    void aRetryLoopThatRollsBackWritesNothingBehindTheSealOfANewerToken() throws Exception {
        assertSealHolds(Connection::rollback);
    }

    @Test
    void aChangeThatCommitsWritesNothingBehindTheSealOfANewerToken() throws Exception {
        assertSealHolds(Connection::commit);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ROLLBACK", "COMMIT"})
    void aTransactionThatIsEndedAsSqlTextWritesNothingBehindTheSealOfANewerToken(String sql)
            throws Exception {
        assertSealHolds(connection -> execute(connection, sql));
    }

    /** Token 5 ends its transaction, token 7 seals and reads, token 5 writes. */
    private void assertSealHolds(End end) throws Exception {
        guard.seal(token(5));
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch sealed = new CountDownLatch(1);
        CompletableFuture<?> older =
                Threads.run(() -> guard.useTransaction(token(5), connection -> {
                    try {
                        end.on(connection);
                    } finally {
                        ended.countDown();
                    }
                    await(sealed);
                    setBalance(connection, 666);
                }));
        ended.await();
        try (Connection newer = database.begin()) {
            marks.seal(newer, "ledger/42", token(7));
            assertThat(balance(newer)).isEqualTo(101);
            sealed.countDown();
            assertThatExceptionOfType(Exception.class)
                    .as("the older change is refused, or waits for the newer transaction")
                    .isThrownBy(() -> older.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOfAny(TimeoutException.class, ExecutionException.class);
            assertThat(balance(newer)).isEqualTo(101);
            newer.commit();
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(older::get)
                .withCauseInstanceOf(IllegalStateException.class);
        assertThat(guard.mark()).contains(token(7));
        assertThat(database.text("select balance from accounts")).isEqualTo("101");
    }

    @Test
    void aMarkThatWasRolledBackAsSqlTextIsNotRaisedAgain() {
        guard.seal(token(3));
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.useTransaction(token(5), connection -> {
                    execute(connection, "ROLLBACK");
                    guard.seal(token(4)); // 5 has read before 4 wrote
                    setBalance(connection, 666);
                }))
                .withMessageContaining("in which token 5 was admitted to name:ledger/42 has ended")
                .withMessageContaining("the mark is 4");
        assertThat(guard.mark()).contains(token(4));
        assertThat(database.text("select balance from accounts")).isEqualTo("101");
    }

    @Test
    void aNewerTokenIsNamedWhenTheTransactionWasEndedAsSqlText() {
        guard.seal(token(5));
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.useTransaction(token(5), connection -> {
                    execute(connection, "COMMIT");
                    guard.seal(token(7));
                    setBalance(connection, 666);
                }))
                .withMessageContaining("the mark is 7")
                .withCauseInstanceOf(StaleTokenException.class);
        assertThat(database.text("select balance from accounts")).isEqualTo("101");
    }

    @Test
    void whatEndsTheTransactionIsRefusedWithWhatToDo() {
        List<End> ends = List.of(
                Connection::commit,
                Connection::rollback,
                connection -> connection.setAutoCommit(true),
                Connection::close,
                connection -> connection.abort(Runnable::run),
                connection ->
                        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        for (End end : ends) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.useTransaction(token(5), connection -> {
                        setBalance(connection, 666);
                        end.on(connection);
                    }))
                    .withMessageContaining("the guard ends the transaction of name:ledger/42")
                    .withMessageContaining("throw an exception")
                    .withMessageContaining("savepoint");
        }
        assertThat(guard.mark()).isEmpty();
        assertThat(database.text("select balance from accounts")).isEqualTo("101");
        assertThat(database.pool().idle()).isEqualTo(1);
    }

    @Test
    void aRefusalThatTheChangeSwallowsIsNoSuccess() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.useTransaction(token(5), connection -> {
                    setBalance(connection, 666); // half of it
                    try {
                        connection.rollback();
                    } catch (IllegalStateException swallowed) {
                        setBalance(connection, 667);
                    }
                }))
                .withMessageContaining("rollback is refused");
        assertThat(guard.mark()).isEmpty();
        assertThat(database.text("select balance from accounts")).isEqualTo("101");
    }

    @Test
    void savepointsAreTheChangesOwn() {
        guard.useTransaction(token(5), connection -> {
            connection.setAutoCommit(false); // as it is already
            setBalance(connection, 200);
            Savepoint before = connection.setSavepoint();
            setBalance(connection, 666);
            connection.rollback(before);
            connection.releaseSavepoint(connection.setSavepoint("named"));
        });
        assertThat(guard.mark()).contains(token(5));
        assertThat(database.text("select balance from accounts")).isEqualTo("200");
    }

    @Test
    void anotherResourceIsAdmittedInTheSameTransaction() {
        guard.useTransaction(token(5), connection -> {
            marks.admit(connection, "ledger/43", token(5));
            marks.confirm(connection, "ledger/43", token(5));
        });
        assertThat(marks.on(database.pool(), "ledger/43").mark()).contains(token(5));
    }

    @Test
    void noWayLeadsFromWhatTheConnectionMadeToTheConnectionBehindIt() {
        guard.useTransaction(token(5), connection -> {
            List<Connection> ways = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    PreparedStatement prepared = connection.prepareStatement("select 1");
                    Statement call = connection.prepareCall("select 1");
                    ResultSet rows = statement.executeQuery("select balance from accounts");
                    ResultSet tables = connection.getMetaData().getTables(null, null, "%", null)) {
                ways.add(statement.getConnection());
                ways.add(prepared.getConnection());
                ways.add(call.getConnection());
                ways.add(rows.getStatement().getConnection());
                if (tables.getStatement() != null) { // H2 has none
                    ways.add(tables.getStatement().getConnection());
                }
                ways.add(connection.getMetaData().getConnection());
                ways.add(connection.unwrap(Connection.class));
                ways.add(statement.unwrap(Statement.class).getConnection());
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(101);
            }
            assertThat(ways).allSatisfy(way -> assertThat(way).isSameAs(connection));
            assertThat(Set.of(connection)).contains(connection);
            assertThat(connection.toString()).contains("name:ledger/42");
        });
    }

    @Test
    void theDriversOwnClassesAreNotHandedOut() {
        guard.useTransaction(token(5), connection -> {
            Class<? extends Connection> driver;
            try (Connection raw = database.pool().open()) {
                driver = raw.getClass();
            }
            assertThat(connection.isWrapperFor(driver)).isFalse();
            assertThat(connection.isWrapperFor(Connection.class)).isTrue();
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> connection.unwrap(driver))
                    .withMessageContaining("JdbcGuard.admit");
        });
    }

    @Test
    void theConnectionIsClosedForWhoKeepsItAfterTheChange() throws SQLException {
        List<Connection> kept = new ArrayList<>();
        List<Statement> statements = new ArrayList<>();
        guard.useTransaction(token(5), connection -> {
            kept.add(connection);
            statements.add(connection.createStatement());
            assertThat(connection.isClosed()).isFalse();
        });
        assertThat(kept.get(0).isClosed()).isTrue();
        assertThat(kept.get(0).isValid(1)).isFalse();
        kept.get(0).close();
        statements.get(0).close();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> kept.get(0).createStatement())
                .withMessageContaining("the guarded transaction of name:ledger/42 is over");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> statements.get(0).execute("update accounts set balance = 666"));
        assertThat(database.text("select balance from accounts")).isEqualTo("101");
    }

    @Test
    void inOnesOwnTransactionConfirmTellsThatItIsTheOneThatWasAdmitted() throws SQLException {
        try (Connection connection = database.begin()) {
            marks.admit(connection, "ledger/42", token(5));
            marks.confirm(connection, "ledger/42", token(5));
            connection.rollback(); // and tries again without admit
            assertThatIllegalStateException()
                    .isThrownBy(() -> marks.confirm(connection, "ledger/42", token(5)))
                    .withMessageContaining("there is no mark");
            connection.rollback();
            marks.admit(connection, "ledger/42", token(5));
            connection.commit();
            connection.setAutoCommit(true);
            assertThatIllegalStateException()
                    .isThrownBy(() -> marks.confirm(connection, "ledger/42", token(5)))
                    .withMessageContaining("auto-commit");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void setBalance(Connection connection, int balance) {
        Database.update(connection, "update accounts set balance = ?", balance);
    }

    private static long balance(Connection connection) {
        return Database.number(connection, "select balance from accounts");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
