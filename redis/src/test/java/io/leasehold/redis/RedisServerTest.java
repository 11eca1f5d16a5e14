// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisErrorException;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.ThreadLeakCheck;
import java.io.BufferedReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The real servers that the other tests stand on. */
@Isolated("it counts threads")
@ExtendWith(ThreadLeakCheck.class)
final class RedisServerTest {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration AT_ONCE = Duration.ofMillis(200);

    /** Both bundled versions, and the machine's own if it has one. */
    private static Stream<RedisBinary> programs() {
        return Stream.concat(
                Stream.of(RedisBinary.bundled(), RedisBinary.older()),
                RedisBinary.installed().stream());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void repliesOfEveryKindArrive(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program)) {
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThat(redis.command("GET", "none")).isNull();
            assertThat(redis.command("SET", "key", "wért")).isEqualTo("OK");
            assertThat(redis.command("GET", "key")).isEqualTo("wért");
            assertThat(redis.command("INCR", "count")).isEqualTo(1L);
            assertThat(redis.command("MGET", "key", "none", "count"))
                    .isEqualTo(Arrays.asList("wért", null, "1"));
        }
    }

    @Test
    void theBundledProgramsAreOfTwoVersionsAndTheirOwnersAlone() throws Exception {
        try (RedisServer newer = RedisServer.start();
                RedisServer older = RedisServer.start(RedisBinary.older())) {
            assertThat(newer.info("server").get("redis_version")).startsWith("7.0.");
            assertThat(older.info("server").get("redis_version")).startsWith("6.2.");
        }
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(RedisBinary.older().path().getParent())))
                .isEqualTo("rwx------");
        assertThat(RedisBinary.older()).isEqualTo(RedisBinary.older());
    }

    @Test
    void anErrorReplyIsAnException() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("SET", "key", "text");
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> redis.command("INCR", "key"))
                    .withMessageStartingWith("ERR value is not an integer");
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aServerThatIsKilledForgetsEverything(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program)) {
            int port = redis.port();
            redis.command("SET", "key", "value");
            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            assertThat(redis.answers(AT_ONCE)).isFalse();
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> redis.command("PING"))
                    .withMessageContaining("port " + port);
            redis.restart();
            assertThat(redis.port()).isEqualTo(port);
            assertThat(redis.command("GET", "key")).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void anAppendOnlyFileBringsTheDataBack(RedisBinary program) {
        try (RedisServer redis =
                RedisServer.start(program, "appendonly yes", "appendfsync always")) {
            redis.command("SET", "key", "value");
            redis.kill();
            redis.restart();
            assertThat(redis.command("GET", "key")).isEqualTo("value");
            // also of one that still runs
            redis.restart();
            assertThat(redis.command("GET", "key")).isEqualTo("value");
        }
    }

    @Test
    void aPausedServerAnswersOnlyWhenItIsResumed() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("SET", "key", "value");
            redis.pause();
            assertThat(redis.isRunning()).isTrue();
            assertThat(redis.answers(AT_ONCE)).isFalse();
            redis.resume();
            assertThat(redis.answers(SOON)).isTrue();
            assertThat(redis.command("GET", "key")).isEqualTo("value");
            redis.pause();
            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            assertThatIllegalStateException().isThrownBy(redis::resume);
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aReplicaHasWhatThePrimaryHasAndTakesOver(RedisBinary program) {
        try (RedisServer primary = RedisServer.start(program, "requirepass secret");
                RedisServer replica = RedisServer.start(program)) {
            primary.command("SET", "first", "1");
            replica.replicaOf(primary);
            assertThat(replica.command("GET", "first")).isEqualTo("1");
            assertThat(primary.info("replication").get("slave0")).contains("state=online");
            primary.command("SET", "second", "2");
            replica.awaitReplication(primary);
            assertThat(replica.command("GET", "second")).isEqualTo("2");
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> replica.command("SET", "third", "3"))
                    .withMessageStartingWith("READONLY");
            primary.kill();
            replica.promote();
            replica.command("SET", "third", "3");
            assertThat(replica.info("replication").get("role")).isEqualTo("master");
            // what came from the primary was never meant to outlive the process
            replica.restart();
            assertThat(replica.command("GET", "first")).isNull();
        }
    }

    @Test
    void aServerWithAPasswordStartsAndTellsStrangersNothing() {
        try (RedisServer redis = RedisServer.start("requirepass secret");
                RedisServer closed = RedisServer.start("user default off")) {
            assertThat(redis.command("PING")).isEqualTo("PONG");
            assertThat(closed.answers(SOON)).isTrue();
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> closed.command("PING"))
                    .withMessageStartingWith("NOAUTH");
        }
    }

    @Test
    void manyServersRunAtOnceAndLeaveNothing() {
        List<RedisServer> servers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            servers.add(RedisServer.start());
        }
        assertThat(servers).extracting(RedisServer::port).doesNotHaveDuplicates();
        assertThat(servers).extracting(RedisServer::directory).doesNotHaveDuplicates();
        for (RedisServer server : servers) {
            server.close();
            server.close();
            assertThat(server.isRunning()).isFalse();
            assertThat(server.directory()).doesNotExist();
            assertThatIllegalStateException()
                    .isThrownBy(server::restart)
                    .withMessageContaining("closed");
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aRestartWaitsUntilAnotherGivesThePortBack(RedisBinary program) throws Exception {
        try (RedisServer redis = RedisServer.start(program)) {
            redis.kill();
            CompletableFuture<Void> restart;
            try (ServerSocket other =
                    new ServerSocket(redis.port(), 50, InetAddress.getLoopbackAddress())) {
                restart = CompletableFuture.runAsync(redis::restart);
                other.setSoTimeout(10_000);
                // every time it starts it takes the other for itself, and asks it in vain
                while (!redis.log().contains("Could not create server")) {
                    other.accept().close();
                }
                assertThat(restart).isNotDone();
            }
            restart.get(20, TimeUnit.SECONDS);
            assertThat(redis.command("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void aServerEndsWithTheProcessThatForgotToCloseIt() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Forgetful.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> told;
        try (BufferedReader out = process.inputReader()) {
            told = out.lines().toList();
        }
        assertThat(process.waitFor()).isZero();
        assertThat(told).hasSize(3);
        assertThat(ProcessHandle.of(Long.parseLong(told.get(0)))).isEmpty();
        assertThat(Path.of(told.get(1))).doesNotExist();
        assertThat(Path.of(told.get(2))).doesNotExist();
    }

    /** Starts a server, tells its process and where its files are, and ends. */
    static final class Forgetful {

        private Forgetful() {}

        public static void main(String[] args) {
            RedisServer redis = RedisServer.start();
            System.out.println(redis.info("server").get("process_id"));
            System.out.println(redis.directory());
            System.out.println(RedisBinary.bundled().path().getParent());
        }
    }

    @Test
    void aWrongSettingIsToldWithTheLog() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.start("no-such-setting 1"))
                .withMessageContaining("it ended at once")
                .withMessageContaining("no-such-setting");
    }
}
