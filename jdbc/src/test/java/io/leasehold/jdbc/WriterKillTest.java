// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.TestLength;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writers, each killed with SIGKILL at some moment of its work. What it said was committed
 * is there, mark and data are never apart, and a stale write is refused.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class WriterKillTest {

    private static final int KILLS = TestLength.of(4, 100);
    private static final long SEED = 20;

    private final Database database = Database.postgres();

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    @Test
    void aWriterThatIsKilledLeavesMarkAndDataInStep() throws Exception {
        Random random = new Random(SEED);
        int unanswered = 0;
        long last = 0;
        try (Connection connection = database.connect()) {
            Writer.createTables(connection);
            Process next = start();
            for (int kill = 1; kill <= KILLS; kill++) {
                Process writer = next;
                next = start();
                long acknowledged = runAndKill(writer, last + 1, random);
                last = check(connection, Math.max(acknowledged, last), "kill " + kill);
                unanswered += last > acknowledged ? 1 : 0;
            }
            next.destroyForcibly().waitFor();
            assertThat(Database.number(connection, "select count(*) from entries"))
                    .isEqualTo(last);
        }
        System.out.println("kill test: " + KILLS + " kills, " + last + " transactions, "
                + unanswered + " committed without the writer having said so, seed " + SEED);
    }

    /** Lets it commit a few times, then kills it; returns the last token that it acknowledged. */
    private static long runAndKill(Process writer, long first, Random random)
            throws IOException, InterruptedException {
        try (BufferedReader out = writer.inputReader(StandardCharsets.US_ASCII)) {
            assertThat(out.readLine()).isEqualTo("ready.");
            try (BufferedWriter in = writer.outputWriter(StandardCharsets.US_ASCII)) {
                in.write(first + "\n");
            }
            int commits = random.nextInt(30);
            long acknowledged = 0;
            for (int i = 0; i < commits; i++) {
                acknowledged = token(out.readLine(), acknowledged);
            }
            boolean ended = writer.waitFor(random.nextInt(5_000), TimeUnit.MICROSECONDS);
            assertThat(ended).as("ended by itself").isFalse();
            assertThat(writer.toHandle().destroyForcibly()).isTrue(); // leaves its output readable
            assertThat(writer.waitFor()).as("exit value").isNotZero();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                acknowledged = token(line, acknowledged);
            }
            return acknowledged;
        }
    }

    private static long token(String line, long before) {
        return line.endsWith(".") ? Long.parseLong(line.substring(0, line.length() - 1)) : before;
    }

    /** Returns the token that is there now that the killed writer's last commit is through. */
    private long check(Connection connection, long acknowledged, String when) {
        Database.number(connection, "select token from ledger for update");
        String[] state = Writer.state(connection).split(" ");
        assertThat(state).as(when).containsOnly(state[0]);
        long mark = state[0].isEmpty() ? 0 : Long.parseLong(state[0]);
        assertThat(mark).as(when).isGreaterThanOrEqualTo(acknowledged);
        if (mark > 1) {
            assertThatExceptionOfType(StaleTokenException.class)
                    .as(when)
                    .isThrownBy(() -> JdbcGuard.create()
                            .on(database.pool(), Writer.RESOURCE)
                            .seal(new FencingToken(mark - 1)));
        }
        return mark;
    }

    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        database.url())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
