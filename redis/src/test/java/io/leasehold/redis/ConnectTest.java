// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who gets a connection, and what the others are told. */
@Execution(ExecutionMode.CONCURRENT)
final class ConnectTest {

    /** All that a user of the server needs to be allowed; CONFIG GET and INFO are better, too. */
    private static final List<String> RIGHTS = List.of(
            "~leasehold:*",
            "resetchannels",
            "&leasehold:*",
            "+evalsha",
            "+eval",
            "+subscribe",
            "+unsubscribe",
            "+publish",
            "+pubsub|numsub",
            "+time",
            "+@hash",
            "+@list",
            "+@sortedset");

    private static final Duration SHORT = Duration.ofSeconds(2);

    // ---- passwords and rights

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void whoHasThePasswordConnects(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program, "requirepass s3cret")) {
            Workout.on(RedisOptions.at("redis://s3cret@127.0.0.1:" + redis.port()));
            Workout.on(RedisOptions.at("redis://default:s3cret@127.0.0.1:" + redis.port()));
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void whoHasAnotherPasswordIsToldSoAndNobodyIsToldThePassword(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program, "requirepass s3cret")) {
            for (int i = 0; i < 10; i++) {
                assertThat(refusal("redis://wr0ng@127.0.0.1:" + redis.port()))
                        .hasMessageStartingWith("WRONGPASS: ")
                        .hasStackTraceContaining("WRONGPASS");
            }
            StoreUnavailableException refusal =
                    refusal("redis://nobody:wr0ng@127.0.0.1:" + redis.port());
            assertThat(refusal).hasMessageStartingWith("WRONGPASS: ");
            for (Throwable cause = refusal; cause != null; cause = cause.getCause()) {
                assertThat(cause).message().doesNotContain("wr0ng", "s3cret");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void whoHasNoPasswordIsToldToBringOne(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program, "requirepass s3cret")) {
            assertThat(refusal(redis.uri()))
                    .hasMessage("NOAUTH: Redis asks for a password; put it into the URI");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aUserNeedsTheseRightsAndNoMore(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program)) {
            setUser(redis, RIGHTS);
            Workout.on(RedisOptions.at(asUser(redis)));
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aUserWithTooFewRightsIsToldWhichItNeeds(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program)) {
            for (String missing : List.of("-evalsha", "-subscribe", "-time", "-zadd", "-hmget")) {
                setUser(redis, RIGHTS);
                redis.command("ACL", "SETUSER", "leasehold", missing);
                assertThat(refusal(asUser(redis)))
                        .as(missing)
                        .hasMessageStartingWith("NOPERM: the Redis user may not do this");
            }
            for (String elsewhere : List.of("resetkeys", "resetchannels")) {
                setUser(redis, RIGHTS);
                redis.command("ACL", "SETUSER", "leasehold", elsewhere);
                assertThat(refusal(asUser(redis))).as(elsewhere).hasMessageStartingWith("NOPERM: ");
            }
        }
    }

    private static void setUser(RedisServer redis, List<String> rights) {
        List<String> words = Stream.concat(
                        Stream.of("ACL", "SETUSER", "leasehold", "reset", "on", ">s3cret"),
                        rights.stream())
                .toList();
        redis.command(words.toArray(String[]::new));
    }

    private static String asUser(RedisServer redis) {
        return "redis://leasehold:s3cret@127.0.0.1:" + redis.port();
    }

    // ---- no Redis, or the wrong one

    @Test
    void anUnknownHostIsNamed() {
        assertThat(refusal("redis://s3cret@no-such-host.invalid"))
                .hasMessageStartingWith("the host of Redis is unknown: ")
                .hasMessageContaining("no-such-host.invalid")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void aRefusedPortIsNamed() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThat(refusal("redis://s3cret@127.0.0.1:" + port))
                .hasMessageStartingWith("Redis can't be reached: ")
                .hasMessageContaining("refused")
                .hasMessageContaining(Integer.toString(port))
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void whatSpeaksAnotherLanguageIsNoRedis() {
        try (StubServer stub = new StubServer(words -> "HTTP/1.1 400 Bad Request\r\n\r\n")) {
            assertThat(refusalInTime(stub.uri())).hasMessageStartingWith("Redis can't be reached");
        }
    }

    @Test
    void whatHangsUpIsNoRedis() {
        try (StubServer stub = new StubServer(words -> {
            throw new UncheckedIOException(new IOException("hangs up"));
        })) {
            assertThat(refusalInTime(stub.uri())).hasMessageStartingWith("Redis can't be reached");
        }
    }

    @Test
    void whatNeverAnswersIsGivenUpInTime() {
        try (StubServer stub = new StubServer(words -> "")) {
            assertThat(refusalInTime(stub.uri())).hasMessageStartingWith("Redis can't be reached");
        }
    }

    @Test
    void whatStopsAnsweringAfterTheGreetingIsGivenUpInTime() {
        try (StubServer stub = StubServer.redis("7.0.0", command -> "")) {
            assertThat(refusalInTime(stub.uri()))
                    .hasMessageStartingWith("Redis did not answer in time: ");
        }
    }

    @Test
    void aPausedServerIsGivenUpInTime() {
        try (RedisServer redis = RedisServer.start()) {
            redis.pause();
            assertThat(refusalInTime(redis.uri())).hasMessageContaining("Redis");
        }
    }

    @Test
    void aServerThatIsTooOldIsNamed() {
        try (StubServer stub = StubServer.redis("5.0.14", command -> "-ERR no\r\n")) {
            assertThat(refusal(stub.uri()))
                    .hasMessage("this is Redis 5.0.14, which is too old: 6.0 is the oldest that"
                            + " will do");
        }
    }

    @Test
    void aServerThatLoadsItsDataIsToBeTriedAgain() {
        try (StubServer stub = StubServer.redis(
                "7.0.0", command -> "-LOADING Redis is loading the dataset in memory\r\n")) {
            assertThat(refusal(stub.uri()))
                    .hasMessage("LOADING: Redis is reading its data from disk; try again");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aKeyOfAnotherTypeIsFoundAtOnce(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program)) {
            redis.command("LPUSH", "leasehold:{default}", "mine");
            assertThat(refusal(redis.uri())).hasMessageStartingWith("WRONGTYPE: a key of the");
        }
    }

    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void aReplicaIsRefused(RedisBinary program) {
        try (RedisServer primary = RedisServer.start(program);
                RedisServer replica = RedisServer.start(program)) {
            replica.replicaOf(primary);
            assertThat(refusal(replica.uri())).hasMessageStartingWith("READONLY: ");
        }
    }

    @Test
    void aServerWithAsManyClientsAsItMayHaveSaysSo() {
        try (RedisServer redis = RedisServer.start("maxclients 5");
                RedisLeaseStore one = RedisLeaseStore.connect(redis.uri());
                RedisLeaseStore two = RedisLeaseStore.connect(redis.uri())) {
            assertThat(one.guarantees()).isEqualTo(two.guarantees());
            assertThat(refusal(redis.uri())).hasMessageStartingWith("MAXCLIENTS: ");
        }
    }

    // ---- other ways

    @Test
    void theDatabaseOfTheAddressIsUsed() {
        try (RedisServer redis = RedisServer.start();
                RedisLeaseStore one = RedisLeaseStore.connect(redis.uri() + "/3");
                RedisLeaseStore two = RedisLeaseStore.connect(redis.uri() + "/3");
                RedisLeaseStore elsewhere = RedisLeaseStore.connect(redis.uri())) {
            Workout.of(one, two);
            Ask.granted(one, Ask.request("a"));
            Ask.granted(elsewhere, Ask.request("a"));
            assertThat(redis.info("keyspace")).containsKeys("db0", "db3");
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsAClearError() {
        try (RedisServer redis = RedisServer.start("databases 2")) {
            assertThat(refusal(redis.uri() + "/2"))
                    .hasMessageContaining("DB index is out of range");
        }
    }

    @Test
    void aSocketInTheFileSystemNeedsMoreThanWeBring() {
        Path nowhere = Path.of("redis.sock").toAbsolutePath();
        assertThat(refusal("redis-socket://" + nowhere))
                .hasMessageStartingWith("Redis can't be reached: ")
                .hasMessageContaining("epoll");
    }

    private static StoreUnavailableException refusalInTime(String uri) {
        long start = Time.system().nanos();
        StoreUnavailableException refusal = refusal(uri, SHORT);
        // much less than the library's own minute, but a busy machine takes a while as well
        assertThat(Duration.ofNanos(Time.system().nanos() - start))
                .isLessThan(SHORT.multipliedBy(10));
        return refusal;
    }

    /** What a server says, or its absence, however slow the machine is. */
    private static StoreUnavailableException refusal(String uri) {
        return refusal(uri, Leases.PATIENCE);
    }

    private static StoreUnavailableException refusal(String uri, Duration patience) {
        RedisOptions options = RedisOptions.at(uri).withPatience(patience);
        StoreUnavailableException refusal = catchThrowableOfType(
                StoreUnavailableException.class,
                () -> RedisLeaseStore.connect(options).close());
        if (refusal == null) {
            throw new AssertionError("it connected");
        }
        return refusal;
    }
}
