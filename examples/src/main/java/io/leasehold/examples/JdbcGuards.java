// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.jdbc.FencedRows;
import io.leasehold.jdbc.JdbcGuard;
import io.leasehold.jdbc.TransactionGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

import javax.sql.DataSource;

/** The snippets of docs/guards/jdbc.md. */
final class JdbcGuards {

    private final DataSource dataSource;
    private final JdbcGuard guard = JdbcGuard.create();

    JdbcGuards(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    void prepare() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            guard.createSchema(connection); // once; any number of processes may do so
        }
    }

    void book(Leasehold leasehold, int amount) throws SQLException {
        try (Lease lease = leasehold.lock("ledger/42").acquire(Duration.ofSeconds(5));
                Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            guard.admit(connection, "ledger/42", lease.token()); // first: locks, judges, seals
            int balance = balance(connection);
            setBalance(connection, balance + amount);
            connection.commit(); // mark and data, or neither
        }
    }

    int bookShorter(FencingToken token, int amount) {
        TransactionGuard ledger = guard.on(dataSource, "ledger/42");
        return ledger.inTransaction(token, connection -> {
            int balance = balance(connection) + amount;
            setBalance(connection, balance);
            return balance;
        });
    }

    String bookLate(FencingToken token, int amount) {
        try {
            return "balance " + bookShorter(token, amount);
        } catch (StaleTokenException e) {
            return "token " + e.token() + " came after token " + e.mark(); // nothing was written
        }
    }

    void rename(FencingToken token, String owner) throws SQLException {
        FencedRows accounts = FencedRows.of("accounts", "id");
        try (Connection connection = dataSource.getConnection()) {
            accounts.update(connection, 42, token, Map.of("owner", owner));
        }
    }

    int balance() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return balance(connection);
        }
    }

    private static int balance(Connection connection) throws SQLException {
        try (Statement query = connection.createStatement();
                ResultSet rows = query.executeQuery("select balance from accounts where id = 42")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static void setBalance(Connection connection, int balance) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("update accounts set balance = ? where id = 42")) {
            update.setInt(1, balance);
            update.executeUpdate();
        }
    }
}
