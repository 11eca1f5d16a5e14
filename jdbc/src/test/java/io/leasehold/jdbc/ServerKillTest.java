// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.TestLength;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL itself is killed with SIGKILL under load, in turn the writer's own server process, which
 * makes the server recover, and the server, which is then started again. What was acknowledged is
 * there, and mark and data are never apart.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class ServerKillTest {

    private static final int KILLS = TestLength.of(2, 10);
    private static final long SEED = 21;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final Random random = new Random(SEED);
    private final AtomicLong acknowledged = new AtomicLong();
    private int unknown;
    private EmbeddedPostgres server;

    @BeforeEach
    void open() throws IOException {
        server = start();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void aServerThatIsKilledLeavesMarkAndDataInStep() throws Exception {
        try (Connection connection = connect()) {
            Writer.createTables(connection);
        }
        for (int kill = 1; kill <= KILLS; kill++) {
            if (kill % 2 == 1) {
                killUnderLoad("select pg_backend_pid()");
            } else {
                killUnderLoad("select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)");
                server.close();
                server = start();
            }
            check("kill " + kill);
        }
        System.out.println("server kill test: " + KILLS + " kills, " + acknowledged
                + " as the last token, " + unknown + " commits without an answer, seed " + SEED);
    }

    /** The query, asked on the writer's own connection, says which process. */
    private void killUnderLoad(String victim) throws Exception {
        try (Pool pool = new Pool(server.getJdbcUrl("postgres", "postgres"));
                Connection bystander = connect()) {
            long pid;
            try (Connection connection = pool.getConnection()) {
                pid = Database.number(connection, victim);
            }
            long goal = acknowledged.get() + 1 + random.nextInt(40);
            CompletableFuture<Void> reached = new CompletableFuture<>();
            CompletableFuture<Void> load =
                    Threads.run(() -> write(new Writer(pool), goal, reached));
            CompletableFuture.anyOf(reached, load).get();
            ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
            LockSupport.parkNanos(random.nextInt(3_000_000));
            assertThat(process.destroyForcibly()).isTrue();
            load.get();
            awaitEnd(bystander);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as("closing broken connections").startsWith("08");
        }
    }

    /** The server ends all its connections before it recovers. */
    private static void awaitEnd(Connection bystander) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> {
                    while (true) {
                        Database.text(bystander, "select 1");
                    }
                })
                .withCauseInstanceOf(SQLException.class);
    }

    /** Writes under rising tokens until the server is gone. */
    private void write(Writer writer, long goal, CompletableFuture<Void> reached) {
        for (long token = acknowledged.get() + 1; ; token++) {
            try {
                writer.write(token);
            } catch (OutcomeUnknownException e) {
                unknown++;
                return;
            } catch (JdbcGuardException | AssertionError e) {
                return;
            }
            acknowledged.set(token);
            if (token == goal) {
                reached.complete(null);
            }
        }
    }

    private void check(String when) throws SQLException {
        try (Connection connection = connect()) {
            String[] state = Writer.state(connection).split(" ");
            assertThat(state).as(when).containsOnly(state[0]);
            long mark = Long.parseLong(state[0]);
            assertThat(mark).as(when).isBetween(acknowledged.get(), acknowledged.get() + 1);
            try (Pool pool = new Pool(server.getJdbcUrl("postgres", "postgres"))) {
                assertThatExceptionOfType(StaleTokenException.class)
                        .as(when)
                        .isThrownBy(
                                () -> new Writer(pool).guard().seal(new FencingToken(mark - 1)));
            }
            acknowledged.set(mark);
        }
    }

    /** Waits until the server has recovered. */
    private Connection connect() throws SQLException {
        for (int attempt = 0; ; attempt++) {
            try {
                return DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
            } catch (SQLException e) {
                if (attempt == 100_000) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** Both settings are off in test servers by default; a kill would then lose acknowledged work. */
    private EmbeddedPostgres start() throws IOException {
        Path data = directory.resolve("data");
        IOException failure = new IOException("never tried");
        for (int attempt = 0; attempt < 20; attempt++) {
            try {
                return EmbeddedPostgres.builder()
                        .setOverrideWorkingDirectory(new File("target/postgres"))
                        .setDataDirectory(Files.createDirectories(data))
                        .setCleanDataDirectory(false)
                        .setServerConfig("fsync", "on")
                        .setServerConfig("synchronous_commit", "on")
                        .start();
            } catch (IOException e) {
                failure = e;
            }
        }
        throw failure;
    }
}
