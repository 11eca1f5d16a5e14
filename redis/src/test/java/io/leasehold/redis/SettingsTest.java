// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Guarantees;
import io.leasehold.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What a server's settings are worth, and who is told. */
@Execution(ExecutionMode.CONCURRENT)
final class SettingsTest {

    private static final String NO_FILE =
            "appendonly is off: a restart forgets all leases; set it" + " to yes";
    private static final String NOT_ALWAYS =
            "appendfsync is everysec: a crash may forget the last" + " leases; set it to always";
    private static final String EVICTION =
            "maxmemory-policy is allkeys-lru: leases may be evicted;" + " set it to noeviction";
    private static final String REPLICAS =
            "replication is asynchronous: a fail-over may forget the last leases";
    private static final String UNREADABLE =
            "the settings of the server can't be read: permit" + " CONFIG GET to have them checked";
    private static final String[] SAFE = {"appendonly yes", "appendfsync always"};

    @Test
    void aServerThatWritesAlwaysIsDurable() {
        try (RedisServer redis = RedisServer.start(SAFE)) {
            assertThat(guarantees(RedisOptions.at(redis.uri()).strictly()))
                    .isEqualTo(new Guarantees(
                            "redis", true, false, Guarantees.Clock.WALL, true, List.of()));
        }
    }

    @Test
    void aServerWithoutAFileForgetsAll() {
        assertCaveats(List.of(NO_FILE));
    }

    @Test
    void aServerThatWritesEverySecondForgetsALittle() {
        assertCaveats(List.of(NOT_ALWAYS), "appendonly yes", "appendfsync everysec");
    }

    @Test
    void allReasonsAreGiven() {
        assertCaveats(
                List.of(EVICTION, NO_FILE), "maxmemory 100mb", "maxmemory-policy allkeys-lru");
    }

    @Test
    void evictionThatSparesOurKeysIsNone() {
        try (RedisServer redis = RedisServer.start(
                SAFE[0], SAFE[1], "maxmemory 100mb", "maxmemory-policy volatile-lru")) {
            assertThat(guarantees(RedisOptions.at(redis.uri()).strictly()).caveats())
                    .isEmpty();
        }
    }

    @Test
    void evictionWithoutABoundIsNone() {
        try (RedisServer redis =
                RedisServer.start(SAFE[0], SAFE[1], "maxmemory-policy allkeys-lru")) {
            assertThat(guarantees(RedisOptions.at(redis.uri()).strictly()).caveats())
                    .isEmpty();
        }
    }

    @Test
    void replicasAreACaveatButAllowedStrictly() {
        try (RedisServer redis = RedisServer.start(SAFE);
                RedisServer replica = RedisServer.start()) {
            replica.replicaOf(redis);
            assertThat(guarantees(RedisOptions.at(redis.uri()).strictly()).caveats())
                    .containsExactly(REPLICAS);
        }
    }

    @Test
    void settingsThatAUserMayNotReadAreACaveat() {
        try (RedisServer redis = RedisServer.start(SAFE)) {
            redis.command(
                    "ACL", "SETUSER", "some", "on", ">s3cret", "~*", "&*", "+@all", "-config");
            RedisOptions options = RedisOptions.at("redis://some:s3cret@127.0.0.1:" + redis.port());
            assertCaveats(options, List.of(UNREADABLE));
            redis.command("ACL", "SETUSER", "some", "-info");
            assertCaveats(options, List.of(UNREADABLE));
        }
    }

    @Test
    void settingsBehindARenamedCommandAreACaveat() {
        assertCaveats(List.of(UNREADABLE), SAFE[0], SAFE[1], "rename-command CONFIG \"\"");
    }

    private static void assertCaveats(List<String> caveats, String... settings) {
        try (RedisServer redis = RedisServer.start(settings)) {
            assertCaveats(RedisOptions.at(redis.uri()), caveats);
        }
    }

    /** The caveats are told by the guarantees, in one warning, and in the refusal of the strict. */
    private static void assertCaveats(RedisOptions options, List<String> caveats) {
        String namespaced = "warned-" + options.uri().hashCode() + caveats.hashCode();
        RedisOptions own = options.withNamespace(namespaced);
        List<String> warnings = new ArrayList<>();
        Guarantees guarantees = warningsInto(warnings, () -> guarantees(own));
        assertThat(guarantees.caveats()).isEqualTo(caveats);
        assertThat(guarantees.durable()).isFalse();
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0))
                .startsWith("Redis ")
                .contains(" may forget leases: ")
                .endsWith(String.join("; ", caveats))
                .doesNotContain("s3cret");
        assertThat(catchThrowable(() -> guarantees(own.strictly())))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("the server may forget leases, and the options are strict: "
                        + String.join("; ", caveats));
    }

    private static Guarantees guarantees(RedisOptions options) {
        try (RedisLeaseStore store = RedisLeaseStore.connect(options)) {
            Guarantees guarantees = store.guarantees();
            Ask.answer(store.release(Ask.granted(store, Ask.request("a"))));
            return guarantees;
        }
    }

    /** Notes the warnings of this thread, as other tests run side by side. */
    private static Guarantees warningsInto(List<String> warnings, Supplier<Guarantees> task) {
        Logger logger = Logger.getLogger(RedisLeaseStore.class.getName());
        Thread thread = Thread.currentThread();
        List<String> heard = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                if (Thread.currentThread() == thread && record.getLevel().equals(Level.WARNING)) {
                    heard.add(record.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            return task.get();
        } finally {
            logger.removeHandler(handler);
            warnings.addAll(heard);
        }
    }
}
