// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the guard meets the transactions of PostgreSQL: waiting, snapshots, ends without answer. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class PostgresTransactionsTest {

    private final Database database = Database.postgres();
    private final JdbcGuard guard = JdbcGuard.create();
    private final TransactionGuard ledger = guard.on(database.pool(), "ledger/42");

    @BeforeEach
    void createTables() {
        database.run(guard.schema());
        database.run("create table notes (id int, note varchar(100),"
                + " constraint one_each unique (id) deferrable initially deferred)");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    @Test
    void theSecondWaitsForTheFirstAndIsJudgedOnWhatThatCommitted() throws Exception {
        for (String resource : new String[] {"ledger/42", "fresh"}) {
            ledger.seal(token(1));
            try (Connection first = database.begin()) {
                guard.admit(first, resource, token(9));
                CompletableFuture<?> second = admitElsewhere(resource, token(8));
                awaitWaiting();
                assertThat(second).isNotDone();
                first.commit();

                assertThatExceptionOfType(ExecutionException.class)
                        .as(resource)
                        .isThrownBy(second::get)
                        .withCauseInstanceOf(StaleTokenException.class)
                        .withMessageContaining(resource + " has seen token 9");
            }
            database.run("delete from leasehold_marks");
        }
    }

    @Test
    void theSecondPassesWhenTheFirstRollsBack() throws Exception {
        for (String resource : new String[] {"ledger/42", "fresh"}) {
            ledger.seal(token(1));
            try (Connection first = database.begin()) {
                guard.admit(first, resource, token(9));
                CompletableFuture<?> second = admitElsewhere(resource, token(8));
                awaitWaiting();
                first.rollback();
                second.get();
            }
            assertThat(guard.on(database.pool(), resource).mark()).contains(token(8));
            database.run("delete from leasehold_marks");
        }
    }

    @Test
    void onASnapshotThatIsTooOldTheTransactionMustRunAgain() throws Exception {
        ledger.seal(token(1));
        for (int isolation : new int[] {
            Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE
        }) {
            for (String resource : new String[] {"ledger/42", "fresh/" + isolation}) {
                try (Connection old = database.begin()) {
                    old.setTransactionIsolation(isolation);
                    assertThat(guard.mark(old, "a snapshot")).isEmpty();
                    guard.on(database.pool(), resource).seal(token(2));

                    assertThatExceptionOfType(JdbcGuardException.class)
                            .as(resource)
                            .isThrownBy(() -> guard.admit(old, resource, token(3)))
                            .satisfies(e -> assertThat(e.sqlState()).isEqualTo("40001"));
                    old.rollback();
                    guard.admit(old, resource, token(3));
                    old.rollback();
                }
            }
        }
    }

    @Test
    void aDeadlockKeepsItsState() throws Exception {
        ledger.seal(token(1));
        guard.on(database.pool(), "other").seal(token(1));
        try (Connection first = database.begin();
                Connection second = database.begin()) {
            guard.admit(first, "ledger/42", token(2));
            guard.admit(second, "other", token(2));
            CompletableFuture<?> crossed = Threads.run(() -> guard.admit(first, "other", token(2)));
            String state = stateOf(() -> guard.admit(second, "ledger/42", token(2)));
            second.rollback();
            assertThat(state + stateOf(() -> crossed.get())).isEqualTo("40P01");
        }
    }

    @Test
    void anSqlErrorThatTheChangeSwallowsIsNoSuccess() {
        assertThatExceptionOfType(JdbcGuardException.class)
                .isThrownBy(() -> ledger.useTransaction(token(6), connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("select nonsense");
                    } catch (SQLException swallowed) {
                        assertThat(swallowed.getSQLState()).isEqualTo("42703");
                    }
                }))
                .satisfies(failure -> assertThat(failure.sqlState()).isEqualTo("25P02"));
        assertThat(ledger.mark()).isEmpty();
    }

    @Test
    void aConstraintThatFailsAtTheCommitMeansRolledBack() {
        assertThatExceptionOfType(JdbcGuardException.class)
                .isThrownBy(() -> ledger.useTransaction(token(6), connection -> {
                    Database.update(connection, "insert into notes values (1, 'a'), (1, 'b')");
                }))
                .satisfies(failure -> assertThat(failure.sqlState()).isEqualTo("23505"));
        assertThat(ledger.mark()).isEmpty();
        assertThat(database.pool().idle()).isEqualTo(1);
    }

    /** A trigger that runs at the commit ends the server process that commits. */
    @Test
    void aCommitWithoutAnAnswerIsUnknownAndTheConnectionIsNotUsedAgain() {
        database.run("create function die() returns trigger language plpgsql as 'begin perform"
                + " pg_terminate_backend(pg_backend_pid()); return null; end'");
        database.run("create constraint trigger dies after insert on notes"
                + " deferrable initially deferred for each row execute function die()");
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> ledger.useTransaction(token(6), connection -> {
                    Database.update(connection, "insert into notes values (1, 'a')");
                }))
                .withMessageContaining("name:ledger/42 got no answer")
                .withCauseInstanceOf(SQLException.class);
        assertThat(database.pool().idle()).isZero();
        ledger.seal(token(1));
    }

    @Test
    void aConnectionThatIsLostBeforeTheCommitMeansNothingHappened() {
        assertThatExceptionOfType(JdbcGuardException.class)
                .isThrownBy(() -> ledger.useTransaction(token(6), this::terminate))
                .withMessageContaining("was rolled back");
        assertThat(ledger.mark()).isEmpty();
    }

    @Test
    void anUpdateWithoutAnAnswerIsUnknownInAutoCommitModeOnly() throws SQLException {
        database.run("alter table notes add column fence bigint not null default 0");
        database.run("insert into notes values (1, 'a')");
        FencedRows notes = FencedRows.of("notes", "id");
        try (Connection connection = database.pool().open()) {
            terminate(connection);
            assertThatExceptionOfType(OutcomeUnknownException.class)
                    .isThrownBy(() -> notes.update(connection, 1, token(1), Map.of("note", "b")))
                    .withMessageContaining("notes row with id 1 got no answer");
        }
        try (Connection connection = database.begin()) {
            terminate(connection);
            assertThatExceptionOfType(JdbcGuardException.class)
                    .isThrownBy(() -> notes.update(connection, 1, token(1), Map.of("note", "b")));
        }
    }

    @Test
    void whoMayNotMakeTablesMayUseOneThatIsThere() throws SQLException {
        database.run("create role " + role() + " nosuperuser");
        database.run("grant select, insert, update on leasehold_marks to " + role());
        try (Connection connection = database.connect()) {
            Database.update(connection, "set role " + role());
            guard.createSchema(connection);
            connection.setAutoCommit(false);
            guard.admit(connection, "ledger/42", token(1));
            connection.commit();
            connection.setAutoCommit(true);
            assertThatExceptionOfType(JdbcGuardException.class)
                    .isThrownBy(() -> JdbcGuard.withTable("other").createSchema(connection))
                    .withMessageContaining("table other can't be made");
            Database.update(connection, "reset role");
        }
        database.run("drop owned by " + role());
        database.run("drop role " + role());
    }

    private static String role() {
        return "clerk";
    }

    private void terminate(Connection connection) {
        long backend = Database.number(connection, "select pg_backend_pid()");
        database.run("select pg_terminate_backend(" + backend + ", 10000)");
    }

    private CompletableFuture<?> admitElsewhere(String resource, FencingToken token) {
        return Threads.run(() -> {
            try (Connection connection = database.begin()) {
                guard.admit(connection, resource, token);
                connection.commit();
            }
        });
    }

    private void awaitWaiting() {
        while (!database.text("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                        + " and datname = current_database()")
                .equals("1")) {
            Thread.onSpinWait();
        }
    }

    /** The SQLState that the task failed with; empty if it did not fail. */
    private static String stateOf(Threads.Task task) throws Exception {
        try {
            task.run();
            return "";
        } catch (JdbcGuardException e) {
            return e.sqlState();
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(JdbcGuardException.class);
            return e.getCause() instanceof JdbcGuardException cause ? cause.sqlState() : "";
        }
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
