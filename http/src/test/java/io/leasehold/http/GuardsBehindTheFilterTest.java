// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.guard.file.FileContents;
import io.leasehold.guard.file.FileRegion;
import io.leasehold.guard.file.GuardedFile;
import io.leasehold.guard.file.GuardedRegionFile;
import io.leasehold.jdbc.JdbcGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.redis.guard.KeyWrites;
import io.leasehold.redis.guard.RedisGuard;
import io.leasehold.testkit.RedisServer;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every guard behind the filter: the rows of the table in docs/guards/http.md. */
final class GuardsBehindTheFilterTest {

    private static final Scope LEDGER = Scope.name("ledger/42");

    @Nested
    final class InMemory extends BehindTheFilter<StringBuilder> {

        private final StringBuilder text = new StringBuilder();

        InMemory() {
            super(StringBuilder.class);
        }

        @Override
        Guard<StringBuilder> open() {
            return MemoryGuard.around(LEDGER, text);
        }

        @Override
        void put(StringBuilder resource, String written) {
            resource.setLength(0);
            resource.append(written);
        }

        @Override
        String read() {
            return text.toString();
        }

        @Override
        boolean isUndone() {
            return false;
        }
    }

    @Nested
    final class InAFile extends BehindTheFilter<FileContents> {

        @TempDir
        private Path directory = Path.of("");

        InAFile() {
            super(FileContents.class);
        }

        @Override
        Guard<FileContents> open() {
            return GuardedFile.open(directory.resolve("ledger"), LEDGER);
        }

        @Override
        void put(FileContents resource, String text) {
            resource.replace(text.getBytes(UTF_8));
        }

        @Override
        String read() {
            return new String(((GuardedFile) guard()).read(), UTF_8);
        }
    }

    @Nested
    final class InARegionOfAFile extends BehindTheFilter<FileRegion> {

        @TempDir
        private Path directory = Path.of("");

        InARegionOfAFile() {
            super(FileRegion.class);
        }

        @Override
        Guard<FileRegion> open() {
            return GuardedRegionFile.open(directory.resolve("ledger"), LEDGER);
        }

        @Override
        void put(FileRegion resource, String text) {
            resource.write(0, text.getBytes(UTF_8));
        }

        @Override
        String read() {
            return new String(((GuardedRegionFile) guard()).read(0, 100), UTF_8);
        }
    }

    @Nested
    final class InADatabase extends BehindTheFilter<Connection> {

        private static final AtomicInteger COUNT = new AtomicInteger();

        private final JdbcDataSource database = new JdbcDataSource();

        InADatabase() {
            super(Connection.class);
            database.setUrl("jdbc:h2:mem:filter" + COUNT.incrementAndGet()
                    + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000");
        }

        @Override
        Guard<Connection> open() throws SQLException {
            JdbcGuard guard = JdbcGuard.create();
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                guard.createSchema(connection);
                statement.execute("create table notes (note varchar(100))");
                statement.execute("insert into notes values ('')");
            }
            return guard.on(database, LEDGER);
        }

        @Override
        void put(Connection resource, String text) {
            try (Statement statement = resource.createStatement()) {
                statement.execute("update notes set note = '" + text + "'");
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        String read() {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select note from notes")) {
                assertThat(rows.next()).isTrue();
                return rows.getString(1);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Test
        void theMarkIsCommittedBeforeTheHandlerRuns() throws Exception {
            CompletableFuture<Integer> request = begin(7, "resource", "pause");
            paused.await();
            assertThat(mark()).isEqualTo(7);
            resume.countDown();
            assertThat(request.get()).isEqualTo(200);
        }

        @AfterEach
        void shutDown() throws SQLException {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("shutdown");
            }
        }
    }

    @Nested
    final class InRedis extends BehindTheFilter<KeyWrites> {

        private static final String KEY = "{ledger/42}:note";

        private static final RedisServer REDIS = RedisServer.start("appendonly yes");

        private final RedisGuard connection = RedisGuard.connect(REDIS.uri());
        private final RedisGuard another = RedisGuard.connect(REDIS.uri());

        @AfterAll
        static void stopServer() {
            REDIS.close();
        }

        InRedis() {
            super(KeyWrites.class);
        }

        @Override
        Guard<KeyWrites> open() {
            Object unused = REDIS.command("FLUSHALL");
            return connection.keys("ledger/42");
        }

        @Override
        void put(KeyWrites resource, String text) {
            resource.set(KEY, text);
        }

        @Override
        String read() {
            return Objects.requireNonNullElse(REDIS.command("GET", KEY), "").toString();
        }

        @Override
        void beforeTheWrite(HttpServletRequest request) {
            if (request.getPathInfo().endsWith("overtaken")) {
                another.keys("ledger/42").seal(new FencingToken(9));
            }
        }

        @Test
        void aTokenThatIsOvertakenWhileTheHandlerRunsIsAConflictAndNothingIsWritten() {
            assertThat(status(7, "resource", "overtaken")).isEqualTo(409);
            assertThat(read()).isEmpty();
        }

        @AfterEach
        void shutDown() {
            connection.close();
            another.close();
        }
    }
}
