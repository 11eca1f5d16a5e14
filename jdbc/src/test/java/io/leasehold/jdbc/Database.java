// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** An empty database of its own for a test, gone when closed. */
final class Database implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Pool pool;
    private final Statement cleanUp;
    private final String drop;

    private Database(String url, Statement cleanUp, String drop) {
        this.pool = new Pool(url);
        this.cleanUp = cleanUp;
        this.drop = drop;
    }

    /** One server for all tests of this process; it and its files are gone when the process ends. */
    private static final class Shared {
        static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setOverrideWorkingDirectory(new File("target/postgres"))
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static Database postgres() {
        String name = "test_" + COUNT.incrementAndGet();
        try {
            Statement admin =
                    Shared.SERVER.getPostgresDatabase().getConnection().createStatement();
            admin.execute("create database " + name);
            return new Database(
                    Shared.SERVER.getJdbcUrl("postgres", name),
                    admin,
                    "drop database " + name + " with (force)");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    static Database h2() {
        String url = "jdbc:h2:mem:test" + COUNT.incrementAndGet() + ";LOCK_TIMEOUT=20000";
        try {
            return new Database(
                    url, DriverManager.getConnection(url).createStatement(), "shutdown");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    String url() {
        return pool.url();
    }

    Pool pool() {
        return pool;
    }

    Connection connect() throws SQLException {
        return pool.getConnection();
    }

    /** A connection in the middle of nothing, with auto-commit off. */
    Connection begin() throws SQLException {
        Connection connection = pool.open();
        connection.setAutoCommit(false);
        return connection;
    }

    void run(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    static int update(Connection connection, String sql, Object... arguments) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    static long number(Connection connection, String sql) {
        return Long.parseLong(text(connection, sql));
    }

    /** The one value that the query finds, as text; empty if it finds none. */
    static String text(Connection connection, String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "";
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    String text(String sql) {
        try (Connection connection = connect()) {
            return text(connection, sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws SQLException {
        pool.close();
        Connection admin = cleanUp.getConnection();
        cleanUp.execute(drop);
        admin.close();
    }
}
