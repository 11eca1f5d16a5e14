// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table that holds the highest token each row has seen. Stateless.
 *
 * <p>Why it is safe. The one statement that raises a fence also judges it, so there is no gap
 * between check and write. At READ COMMITTED it waits for a transaction that holds the row, and
 * then judges what that one committed; from then on it holds the row itself, until its own
 * transaction ends. So of two transactions the later is judged on the earlier one's fence, and
 * their data, being written between raise and commit, is in the order of the fences. On a snapshot
 * (REPEATABLE READ and above) a row that has changed since is an error of the database, 40001.
 *
 * <p>Only when no row was raised is the fence read, to say why. A reading that contradicts the
 * refusal means that the row came or went in between, and it is judged again.
 */
final class Fence {

    /** How often a row that comes and goes is judged again. */
    static final int ATTEMPTS = 8;

    private final Map<String, String> names;
    private final String where;
    private final long lowest;
    private final String raise;
    private final String read;

    /** Checked identifiers, and the lowest fence that is sound: 0 where it means "none yet". */
    Fence(String table, String key, String fence, long lowest) {
        this.names = Map.of("table", table, "key", key, "fence", fence);
        this.where = table + "." + fence;
        this.lowest = lowest;
        this.raise = statement("");
        this.read = SqlFile.load("read.sql", names);
    }

    /**
     * Raises a row's fence and takes its lock.
     *
     * @param label the row, for the refusal
     * @return false if there is no such row
     * @throws StaleTokenException if the row has seen a newer token; the transaction stays usable
     */
    boolean raise(Connection connection, Object key, FencingToken token, String label)
            throws SQLException {
        return new Attempt(raise, Map.of(), key, token).run(connection, label);
    }

    /** {@link #raise} with further columns set in the same statement. */
    boolean update(Connection connection, Change change, String label) throws SQLException {
        StringBuilder columns = new StringBuilder();
        for (String column : change.values().keySet()) {
            columns.append(Identifiers.column(column)).append(" = ?, ");
        }
        return new Attempt(
                        statement(columns.toString()),
                        change.values(),
                        change.key(),
                        change.token())
                .run(connection, label);
    }

    /**
     * Takes the row's lock again if its fence is the token still.
     *
     * @return false if there is no such row, or its fence is another one
     */
    boolean isHeld(Connection connection, Object key, FencingToken token) throws SQLException {
        return new Attempt(raise, Map.of(), key, token).execute(connection, token.value()) == 1;
    }

    /** What a row is to become: its key, under which token, and which columns. */
    record Change(Object key, FencingToken token, Map<String, ? extends @Nullable Object> values) {}

    /** A row's fence; empty if there is no such row. */
    OptionalLong read(Connection connection, Object key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            statement.setObject(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? OptionalLong.of(sound(rows)) : OptionalLong.empty();
            }
        }
    }

    private long sound(ResultSet rows) throws SQLException {
        long fence = rows.getLong(1);
        if (rows.wasNull() || fence < lowest || fence > FencingToken.MAX_VALUE) {
            throw new SQLDataException(
                    where + " is damaged: it is " + (rows.wasNull() ? "null" : fence)
                            + ", outside " + lowest + " to " + FencingToken.MAX_VALUE
                            + ". Every token is refused until it is repaired",
                    "22003");
        }
        return fence;
    }

    private String statement(String values) {
        return SqlFile.load("raise.sql", names).replace("${values}", values);
    }

    /** One statement with its arguments. */
    private final class Attempt {

        private final String sql;
        private final Map<String, ? extends @Nullable Object> values;
        private final Object key;
        private final FencingToken token;

        Attempt(
                String sql,
                Map<String, ? extends @Nullable Object> values,
                Object key,
                FencingToken token) {
            this.sql = sql;
            this.values = values;
            this.key = key;
            this.token = token;
        }

        boolean run(Connection connection, String label) throws SQLException {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                int rows = execute(connection, lowest);
                if (rows == 1) {
                    return true;
                }
                if (rows > 1) {
                    throw new IllegalStateException(rows + " rows have the key of the " + label
                            + ", which must be unique: roll back. In auto-commit mode they are"
                            + " written");
                }
                OptionalLong fence = read(connection, key);
                if (fence.isEmpty()) {
                    return false;
                }
                if (fence.getAsLong() > token.value()) {
                    throw new StaleTokenException(
                            label, token, new FencingToken(fence.getAsLong()));
                }
            }
            throw conflict(label);
        }

        int execute(Connection connection, long atLeast) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                int index = 1;
                for (Object value : values.values()) {
                    statement.setObject(index++, value);
                }
                statement.setLong(index++, token.value());
                statement.setObject(index++, key);
                statement.setLong(index++, atLeast);
                statement.setLong(index, token.value());
                return statement.executeUpdate();
            }
        }
    }

    /** The row is there for the database and not for this transaction's snapshot, or flickers. */
    static SQLException conflict(String label) {
        return new SQLTransactionRollbackException(
                label + " was changed by a transaction that this one can't see:"
                        + " roll back and run it again, at READ COMMITTED if possible",
                "40001");
    }
}
