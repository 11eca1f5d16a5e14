// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.TokenChecked;
import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What rows with a fence of their own owe, on every database. */
abstract class FencedRowsRules {

    private final Database database;
    private final FencedRows accounts = FencedRows.of("accounts", "id");

    FencedRowsRules(Database database) {
        this.database = database;
    }

    @BeforeEach
    void createTable() {
        database.run("create table accounts (id bigint primary key, balance int not null,"
                + " owner varchar(100), fence bigint default 0)");
        database.run("insert into accounts (id, balance) values (42, 100)");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    @Test
    void anUpdateSetsColumnsAndFenceInOneStatement() throws SQLException {
        try (Connection connection = database.connect()) {
            assertThat(accounts.mark(connection, 42)).isEmpty();

            accounts.update(connection, 42, token(7), Map.of("balance", 70, "owner", "ada"));
            accounts.update(connection, 42, token(7), Map.of("balance", 77));

            assertThat(accounts.mark(connection, 42)).contains(token(7));
        }
        assertThat(row()).isEqualTo("77 ada 7");
    }

    @Test
    void aStaleUpdateIsRefusedWithTheFenceAndLeavesTheTransactionUsable() throws SQLException {
        try (Connection connection = database.begin()) {
            accounts.update(connection, 42, token(9), Map.of("balance", 90, "owner", "ada"));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(
                            () -> accounts.update(connection, 42, token(8), Map.of("balance", 80)))
                    .withMessage("stale token 8: accounts row with id 42 has seen token 9")
                    .satisfies(stale -> assertThat(stale.mark()).isEqualTo(token(9)));
            connection.commit();
        }
        assertThat(row()).isEqualTo("90 ada 9");
    }

    @Test
    void aListenerIsToldOfEachTokenWithTheTableAsTheResource() throws SQLException {
        List<String> told = new ArrayList<>();
        FencedRows reporting = accounts.reportingTo(new LeaseholdListener() {
            @Override
            public void onTokenCheck(TokenChecked check) {
                told.add(check.operation().resource() + " " + check.operation().kind() + " "
                        + check.outcome());
            }
        });
        try (Connection connection = database.begin()) {
            reporting.seal(connection, 42, token(9));
            reporting.admit(connection, 42, token(9));
            reporting.update(connection, 42, token(9), Map.of("balance", 90));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() ->
                            reporting.update(connection, 42, token(8), Map.of("balance", 80)));
            assertThatExceptionOfType(NoSuchRowException.class)
                    .isThrownBy(() -> reporting.admit(connection, 43, token(9)));
            connection.commit();
        }
        assertThat(told)
                .containsExactly(
                        "name:accounts SEAL VALID",
                        "name:accounts ADMIT VALID",
                        "name:accounts WRITE VALID",
                        "name:accounts WRITE STALE",
                        "name:accounts ADMIT FAILED");
    }

    @Test
    void aMissingRowIsNotAStaleOne() throws SQLException {
        try (Connection connection = database.begin()) {
            assertThatExceptionOfType(NoSuchRowException.class)
                    .isThrownBy(
                            () -> accounts.update(connection, 43, token(8), Map.of("balance", 80)))
                    .withMessage("there is no accounts row with id 43");
            assertThatExceptionOfType(NoSuchRowException.class)
                    .isThrownBy(() -> accounts.seal(connection, 43, token(8)));
            assertThatExceptionOfType(NoSuchRowException.class)
                    .isThrownBy(() -> accounts.admit(connection, 43, token(8)));
            assertThatExceptionOfType(NoSuchRowException.class)
                    .isThrownBy(() -> accounts.mark(connection, 43));
            accounts.admit(connection, 42, token(8));
            connection.commit();
        }
    }

    @Test
    void aSealShutsOutEarlierHoldersBeforeTheRead() throws SQLException {
        try (Connection connection = database.connect()) {
            accounts.seal(connection, 42, token(8));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(
                            () -> accounts.update(connection, 42, token(7), Map.of("balance", 0)));
            accounts.update(connection, 42, token(8), Map.of("balance", 88, "owner", "ada"));
        }
        assertThat(row()).isEqualTo("88 ada 8");
    }

    @Test
    void anAdmittedWriterUsesItsOwnStatements() throws SQLException {
        try (Connection connection = database.begin()) {
            accounts.admit(connection, 42, token(8));
            Database.update(connection, "update accounts set balance = balance - 1, owner = 'eve'");
            connection.commit();
            assertThat(row()).isEqualTo("99 eve 8");

            accounts.admit(connection, 42, token(9));
            connection.rollback();
            assertThat(accounts.mark(connection, 42)).contains(token(8));
        }
        try (Connection connection = database.connect()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> accounts.admit(connection, 42, token(9)))
                    .withMessageContaining("auto-commit");
        }
    }

    @Test
    void valuesAreDataWhateverTheyLookLike() throws SQLException {
        String hostile = "'; update accounts set balance = 0; --";
        Map<String, @Nullable Object> nothing = new HashMap<>();
        nothing.put("owner", null);
        try (Connection connection = database.connect()) {
            accounts.update(connection, 42, token(1), Map.of("owner", hostile));
            assertThat(row()).isEqualTo("100 " + hostile + " 1");
            accounts.update(connection, 42, token(2), nothing);
            assertThat(database.text("select count(*) from accounts where owner is null"))
                    .isEqualTo("1");
        }
    }

    @Test
    void columnsAreNamesAndNothingElse() throws SQLException {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencedRows.of("accounts", "id = 1 or 1"));
        assertThatIllegalArgumentException().isThrownBy(() -> FencedRows.of("accounts a", "id"));
        assertThatIllegalArgumentException().isThrownBy(() -> accounts.fencedBy("a.fence"));
        try (Connection connection = database.connect()) {
            for (String name :
                    new String[] {"balance = 0, owner", "balance--", "", "FENCE", "id"}) {
                assertThatIllegalArgumentException()
                        .as(name)
                        .isThrownBy(
                                () -> accounts.update(connection, 42, token(1), Map.of(name, 5)));
            }
        }
        assertThat(database.text("select fence from accounts")).isEqualTo("0");
    }

    @Test
    void theFenceMayHaveAnotherName() throws SQLException {
        database.run("alter table accounts add column \"Mark of it\" bigint default 0");
        FencedRows renamed = accounts.fencedBy("\"Mark of it\"");
        try (Connection connection = database.connect()) {
            renamed.update(connection, 42, token(3), Map.of());
            assertThat(renamed.mark(connection, 42)).contains(token(3));
            assertThat(accounts.mark(connection, 42)).isEmpty();
        }
    }

    @Test
    void aDamagedFenceFailsClosed() throws SQLException {
        try (Connection connection = database.connect()) {
            for (String damage : new String[] {"null", "-1", "9007199254740992"}) {
                database.run("update accounts set fence = " + damage);
                assertThatExceptionOfType(JdbcGuardException.class)
                        .as(damage)
                        .isThrownBy(
                                () -> accounts.seal(connection, 42, token(FencingToken.MAX_VALUE)))
                        .withMessageContaining("accounts.fence is damaged: it is " + damage);
            }
        }
    }

    @Test
    void aKeyThatIsNotUniqueIsFound() throws SQLException {
        database.run("update accounts set owner = 'ada'");
        database.run("insert into accounts (id, balance, owner) values (43, 0, 'ada')");
        try (Connection connection = database.begin()) {
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            FencedRows.of("accounts", "owner").admit(connection, "ada", token(1)))
                    .withMessageContaining("2 rows have the key")
                    .withMessageContaining("must be unique");
        }
    }

    @Test
    void aMissingColumnIsSaid() throws SQLException {
        try (Connection connection = database.connect()) {
            assertThatExceptionOfType(JdbcGuardException.class)
                    .isThrownBy(() -> accounts.fencedBy("nowhere").seal(connection, 42, token(1)))
                    .satisfies(failure -> assertThat(failure.sqlState()).startsWith("42"));
        }
    }

    private String row() {
        return database.text("select balance || ' ' || owner || ' ' || fence from accounts");
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
