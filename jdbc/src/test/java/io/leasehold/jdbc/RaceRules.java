// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Transactions that race for one resource at READ COMMITTED. Each one that is admitted reads a
 * counter and writes it back plus one, with its token beside it: a lost update shows in the count, a
 * wrong order in the token.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class RaceRules {

    private static final int RACERS = 4;
    private static final int ROUNDS = 200;

    private final Database database;
    private final Connection[] connections = new Connection[RACERS];

    RaceRules(Database database) {
        this.database = database;
    }

    /** How a racer asks to be admitted to a round's row. */
    interface Admit {
        void admit(Connection connection, int row, FencingToken token);
    }

    @BeforeEach
    void createTables() throws SQLException {
        database.run(JdbcGuard.create().schema());
        database.run("create table ledger (id int primary key, n int not null,"
                + " token bigint not null, fence bigint default 0 not null)");
        for (int i = 0; i < RACERS; i++) {
            connections[i] = database.begin();
            connections[i].setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
        database.close();
    }

    @Test
    void onAResourceThatHasAMark() throws Exception {
        JdbcGuard guard = JdbcGuard.create();
        race(1, (connection, row, token) -> guard.admit(connection, "ledger/" + row, token));
    }

    @Test
    void onAResourceThatHasNoMarkYet() throws Exception {
        JdbcGuard guard = JdbcGuard.create();
        race(ROUNDS, (connection, row, token) -> guard.admit(connection, "ledger/" + row, token));
    }

    @Test
    void onARowWithAFence() throws Exception {
        FencedRows rows = FencedRows.of("ledger", "id");
        race(ROUNDS, (connection, row, token) -> rows.admit(connection, row, token));
    }

    /** Over so many rows, in turn; tokens rise from round to round. */
    private void race(int rows, Admit admit) throws Exception {
        Random random = new Random(11);
        for (int row = 0; row < rows; row++) {
            database.run("insert into ledger (id, n, token) values (" + row + ", 0, 0)");
        }
        int refused = 0;
        int count = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Long> tokens = new ArrayList<>();
            for (int i = 1; i <= RACERS; i++) {
                tokens.add((long) round * RACERS + i);
            }
            Collections.shuffle(tokens, random);
            int row = round % rows;
            int admitted = round(row, tokens, admit);
            refused += RACERS - admitted;
            count = rows == 1 ? count + admitted : admitted;

            assertThat(database.text("select n || ' by ' || token from ledger where id = " + row))
                    .as("round " + round + ", tokens " + tokens)
                    .isEqualTo(count + " by " + (round + 1) * RACERS);
        }
        assertThat(refused).as("refused").isPositive();
    }

    /** Returns how many were admitted. */
    private int round(int row, List<Long> tokens, Admit admit) throws Exception {
        CyclicBarrier start = new CyclicBarrier(RACERS);
        AtomicInteger admitted = new AtomicInteger();
        CompletableFuture<?>[] racers = new CompletableFuture<?>[RACERS];
        for (int i = 0; i < RACERS; i++) {
            Connection connection = connections[i];
            long token = tokens.get(i);
            racers[i] = Threads.run(() -> {
                start.await();
                try {
                    admit.admit(connection, row, new FencingToken(token));
                    addOne(connection, row, token);
                    admitted.incrementAndGet();
                } catch (StaleTokenException e) {
                    assertThat(e.mark()).isGreaterThan(e.token());
                }
                connection.commit();
            });
        }
        CompletableFuture.allOf(racers).get();
        return admitted.get();
    }

    private static void addOne(Connection connection, int row, long token) {
        long n = Database.number(connection, "select n from ledger where id = " + row);
        Database.update(
                connection, "update ledger set n = ?, token = ? where id = ?", n + 1, token, row);
    }
}
