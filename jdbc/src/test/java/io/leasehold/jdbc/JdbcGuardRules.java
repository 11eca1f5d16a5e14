// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.guard.Admission;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.TokenChecked;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the guard owes in the caller's own transaction, on every database. */
abstract class JdbcGuardRules {

    final Database database;
    final JdbcGuard guard = JdbcGuard.create();

    JdbcGuardRules(Database database) {
        this.database = database;
    }

    @BeforeEach
    void createTables() throws SQLException {
        try (Connection connection = database.connect()) {
            guard.createSchema(connection);
        }
        database.run("create table notes (id int primary key, note varchar(100))");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    @Test
    void markAndDataAreCommittedTogether() throws SQLException {
        try (Connection connection = database.begin()) {
            guard.admit(connection, "ledger/42", token(7));
            Database.update(connection, "insert into notes values (1, 'seven')");
            assertThat(guard.mark(connection, "ledger/42")).contains(token(7));
            assertThat(database.text("select count(*) from leasehold_marks")).isEqualTo("0");
            connection.commit();
        }
        assertThat(database.text("select resource || ' ' || token from leasehold_marks"))
                .isEqualTo("name:ledger/42 7");
        assertThat(database.text("select note from notes")).isEqualTo("seven");
    }

    @Test
    void aListenerIsToldOfEachToken() throws SQLException {
        List<String> told = new ArrayList<>();
        JdbcGuard reporting = guard.reportingTo(new LeaseholdListener() {
            @Override
            public void onTokenCheck(TokenChecked check) {
                told.add(check.operation().kind() + " " + check.operation().token() + " "
                        + check.outcome());
            }
        });
        Scope other = Scope.name("other");
        try (Connection connection = database.begin()) {
            reporting.seal(connection, "ledger/42", token(9));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> reporting.admit(connection, "ledger/42", token(8)));
            assertThatExceptionOfType(ScopeMismatchException.class)
                    .isThrownBy(() -> reporting.admit(
                            connection, Scope.name("ledger/42"), Admission.of(token(9), other)));
            connection.commit();
        }
        assertThat(told).containsExactly("SEAL 9 VALID", "ADMIT 8 STALE", "ADMIT 9 OUT_OF_SCOPE");
    }

    @Test
    void aRollbackTakesTheMarkBack() throws SQLException {
        try (Connection connection = database.begin()) {
            guard.admit(connection, "ledger/42", token(7));
            connection.commit();
            guard.admit(connection, "ledger/42", token(9));
            guard.seal(connection, "fresh", token(9));
            connection.rollback();

            assertThat(guard.mark(connection, "ledger/42")).contains(token(7));
            assertThat(guard.mark(connection, "fresh")).isEmpty();
            guard.admit(connection, "ledger/42", token(8));
            connection.commit();
        }
    }

    @Test
    void aStaleTokenLeavesTheTransactionUsable() throws SQLException {
        try (Connection connection = database.begin()) {
            guard.admit(connection, "ledger/42", token(9));
            connection.commit();
            Database.update(connection, "insert into notes values (1, 'before')");
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guard.admit(connection, "ledger/42", token(8)))
                    .withMessage("stale token 8: ledger/42 has seen token 9")
                    .satisfies(stale -> assertThat(stale.mark()).isEqualTo(token(9)));
            Database.update(connection, "insert into notes values (2, 'after')");
            guard.admit(connection, "another", token(8));
            connection.commit();
        }
        assertThat(database.text("select count(*) from notes")).isEqualTo("2");
    }

    @Test
    void aConnectionInAutoCommitModeIsRefused() throws SQLException {
        try (Connection connection = database.connect()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.admit(connection, "ledger/42", token(1)))
                    .withMessageContaining("auto-commit")
                    .withMessageContaining("setAutoCommit(false)");
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.seal(connection, "ledger/42", token(1)));
            assertThat(guard.mark(connection, "ledger/42")).isEmpty();
        }
    }

    @Test
    void aResourceWithPartsHasOneMark() throws SQLException {
        Scope inode = Scope.inode(4711);
        Claim leased = Claim.exclusive(Scope.range(4711, 0, 10));
        try (Connection connection = database.begin()) {
            guard.admit(
                    connection, inode, new Admission(token(9), leased, Scope.range(4711, 0, 10)));
            assertThat(guard.mark(connection, inode)).contains(token(9));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guard.admit(
                            connection, inode, Admission.of(token(8), Scope.range(4711, 50, 60))))
                    .withMessageContaining("inode:4711 has seen token 9");
            assertThatExceptionOfType(ScopeMismatchException.class)
                    .isThrownBy(() -> guard.seal(
                            connection, inode, Admission.of(token(9), Scope.inode(4712))))
                    .withMessage("the guard of inode:4711 was asked about inode:4712");
            connection.commit();
        }
        assertThat(database.text("select resource from leasehold_marks")).isEqualTo("inode:4711");
    }

    @Test
    void aResourceNameIsDataWhateverItLooksLike() throws SQLException {
        String hostile = "x'; drop table leasehold_marks; -- \\' \" ? $1 ${table} %s";
        try (Connection connection = database.begin()) {
            guard.admit(connection, hostile, token(3));
            guard.admit(connection, hostile, token(4));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guard.admit(connection, hostile, token(3)));
            guard.admit(connection, hostile + "x", token(1));
            guard.admit(connection, hostile.toUpperCase(java.util.Locale.ROOT), token(1));
            connection.commit();
            assertThat(guard.mark(connection, hostile)).contains(token(4));
        }
        assertThat(database.text("select count(*) from leasehold_marks")).isEqualTo("3");
    }

    @Test
    void namesAreBoundedByTheirBytes() throws SQLException {
        try (Connection connection = database.begin()) {
            guard.admit(connection, "é".repeat(256), token(1));
            Scope longest = Scope.subtree("/" + "p".repeat(511));
            guard.admit(connection, longest, Admission.of(token(1), longest));
            connection.commit();
            assertThat(guard.mark(connection, longest)).contains(token(1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> guard.admit(connection, "é".repeat(257), token(1)))
                    .withMessageContaining("at most 512");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> guard.admit(connection, "a\0b", token(1)));
        }
    }

    @Test
    void aTableNameIsANameAndNothingElse() {
        for (String hostile : new String[] {
            "",
            "marks; drop table notes",
            "marks--",
            "marks (resource, token)",
            "a.b.c",
            "marks'",
            "\"marks",
            "\"ma\"rks\"",
            "\"a;\"",
            "1marks",
            "marks\n",
            "märks",
            "m".repeat(64),
            "${table}"
        }) {
            assertThatIllegalArgumentException()
                    .as(hostile)
                    .isThrownBy(() -> JdbcGuard.withTable(hostile))
                    .withMessageStartingWith("table name '");
        }
    }

    @Test
    void theTableMayBeInASchemaAndHaveAQuotedName() throws SQLException {
        database.run("create schema fences");
        for (String table : new String[] {"fences.marks", "fences.\"Our marks-2\""}) {
            JdbcGuard other = JdbcGuard.withTable(table);
            try (Connection connection = database.connect()) {
                other.createSchema(connection);
                other.createSchema(connection);
            }
            other.on(database.pool(), "ledger/42").seal(token(5));
            assertThat(database.text("select token from " + table)).isEqualTo("5");
        }
    }

    @Test
    void aMissingTableIsNamedWithWhatToDo() throws SQLException {
        JdbcGuard lost = JdbcGuard.withTable("nowhere");
        try (Connection connection = database.begin()) {
            assertThatExceptionOfType(JdbcGuardException.class)
                    .isThrownBy(() -> lost.admit(connection, "ledger/42", token(1)))
                    .withMessageContaining("name:ledger/42")
                    .withMessageContaining("is table nowhere there")
                    .withMessageContaining("Call createSchema")
                    .satisfies(failure -> assertThat(failure.sqlState()).startsWith("42"));
        }
        try (Connection connection = database.connect()) {
            assertThatExceptionOfType(JdbcGuardException.class)
                    .isThrownBy(() -> lost.mark(connection, "ledger/42"))
                    .withMessageContaining("createSchema");
        }
    }

    @Test
    void aTableOfAnotherShapeIsNamedWithWhatToDo() throws SQLException {
        JdbcGuard wrong = JdbcGuard.withTable("notes");
        try (Connection connection = database.begin()) {
            assertThatExceptionOfType(JdbcGuardException.class)
                    .isThrownBy(() -> wrong.admit(connection, "ledger/42", token(1)))
                    .withMessageContaining("is table notes there, as schema.sql makes it?");
        }
        try (Connection connection = database.connect()) {
            wrong.createSchema(connection); // leaves alone what is there
        }
    }

    @Test
    void aDamagedMarkFailsClosed() throws SQLException {
        database.run("create table bare (resource varchar(520) primary key, token bigint)");
        JdbcGuard bare = JdbcGuard.withTable("bare");
        for (String damage : new String[] {"null", "0", "-3", "9007199254740992"}) {
            database.run("delete from bare");
            database.run("insert into bare values ('name:ledger/42', " + damage + ")");
            try (Connection connection = database.begin()) {
                assertThatExceptionOfType(JdbcGuardException.class)
                        .as(damage)
                        .isThrownBy(() ->
                                bare.admit(connection, "ledger/42", token(FencingToken.MAX_VALUE)))
                        .withMessageContaining("bare.token is damaged: it is " + damage);
                assertThatExceptionOfType(JdbcGuardException.class)
                        .isThrownBy(() -> bare.mark(connection, "ledger/42"));
            }
        }
    }

    @Test
    void theSchemaRefusesWhatIsNoToken() throws SQLException {
        try (Connection connection = database.begin()) {
            for (String damage : new String[] {"null", "0", "9007199254740992"}) {
                assertThatExceptionOfType(AssertionError.class)
                        .isThrownBy(() -> Database.update(
                                connection,
                                "insert into leasehold_marks values ('a', " + damage + ")"))
                        .withCauseInstanceOf(SQLException.class);
                connection.rollback();
            }
        }
    }

    @Test
    void createSchemaIsForAnyNumberOfProcessesAtOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            JdbcGuard shared = JdbcGuard.withTable("marks_" + round);
            CyclicBarrier start = new CyclicBarrier(4);
            CompletableFuture<?>[] processes = new CompletableFuture<?>[4];
            for (int i = 0; i < processes.length; i++) {
                processes[i] = Threads.run(() -> {
                    try (Connection connection = database.connect()) {
                        start.await();
                        shared.createSchema(connection);
                    }
                    shared.on(database.pool(), "ledger/42").seal(token(1));
                });
            }
            CompletableFuture.allOf(processes).get();
        }
    }

    @Test
    void createSchemaDoesNotTouchATransaction() throws SQLException {
        try (Connection connection = database.begin()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> guard.createSchema(connection))
                    .withMessageContaining("auto-commit");
        }
    }

    static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
