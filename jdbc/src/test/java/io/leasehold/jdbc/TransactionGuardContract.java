// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.guard.Guard;
import io.leasehold.testkit.GuardContract;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;

/** The guard contract on transactions of their own. */
abstract class TransactionGuardContract extends GuardContract<Connection> {

    private final Database database;

    TransactionGuardContract(Database database) {
        this.database = database;
    }

    @Override
    protected Guard<Connection> open() {
        database.run(JdbcGuard.create().schema());
        database.run("create table notes (id int primary key, note varchar(100))");
        return JdbcGuard.create().on(database.pool(), RESOURCE);
    }

    @Override
    protected Guard<Connection> reopen(Guard<Connection> guard) {
        try {
            database.pool().close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return JdbcGuard.create().on(database.pool(), RESOURCE);
    }

    @Override
    protected void put(Connection connection, String text) {
        if (Database.update(connection, "update notes set note = ? where id = 1", text) == 0) {
            Database.update(connection, "insert into notes values (1, ?)", text);
        }
    }

    @Override
    protected String read(Guard<Connection> guard) {
        return database.text("select note from notes");
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
    }
}
