// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.model.FencingToken;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/**
 * A process that writes under rising tokens until it is killed, and prints each token after its
 * commit. It connects first, and starts with the token that it reads from its input.
 */
final class Writer {

    static final String RESOURCE = "ledger/42";

    private final TransactionGuard guard;
    private final FencedRows rows = FencedRows.of("ledger", "id");

    Writer(Pool pool) {
        this.guard = JdbcGuard.create().on(pool, RESOURCE);
    }

    static void createTables(Connection connection) {
        JdbcGuard.create().createSchema(connection);
        Database.update(
                connection,
                "create table ledger (id int primary key, token bigint not null,"
                        + " fence bigint default 0 not null)");
        Database.update(connection, "create table entries (token bigint primary key)");
        Database.update(connection, "insert into ledger (id, token) values (1, 0)");
    }

    public static void main(String[] arguments) throws IOException, SQLException {
        try (Pool pool = new Pool(arguments[0])) {
            pool.getConnection().close();
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
            out.println("ready.");
            long token = Long.parseLong(
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))
                            .readLine());
            Writer writer = new Writer(pool);
            while (true) {
                writer.write(token);
                out.print(token + ".\n"); // the dot: what is cut short is no acknowledgement
                token++;
            }
        }
    }

    /** Three statements after the mark's: a kill between any two of them must leave nothing. */
    void write(long token) {
        guard.useTransaction(new FencingToken(token), connection -> {
            rows.update(connection, 1, new FencingToken(token), Map.of());
            Database.update(connection, "insert into entries values (?)", token);
            Database.update(connection, "update ledger set token = ?", token);
        });
    }

    TransactionGuard guard() {
        return guard;
    }

    /** Mark, data, the row's own fence and the last entry, as of one moment: "7 7 7 7". */
    static String state(Connection connection) {
        return Database.text(
                connection,
                "select m.token || ' ' || l.token || ' ' || l.fence || ' ' ||"
                        + " (select max(token) from entries)"
                        + " from leasehold_marks m, ledger l where m.resource = 'name:ledger/42'");
    }
}
