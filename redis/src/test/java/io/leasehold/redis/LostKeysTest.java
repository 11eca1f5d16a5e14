// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A key of the namespace was evicted or deleted by hand. */
@Execution(ExecutionMode.CONCURRENT)
final class LostKeysTest {

    private static final Duration BRIEF = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration WAIT = Duration.ofSeconds(30);

    /** Far above what the clients need, far below what they call when nothing pauses them. */
    private static final long FEW_CALLS = 600;

    private static final Claim NAME = Claim.exclusive(Scope.name("name"));
    private static final Claim SHARED = Claim.shared(Scope.name("shared"));
    private static final Claim PATH = Claim.exclusive(Scope.path("/some/file"));
    private static final Claim SUBTREE = Claim.exclusive(Scope.subtree("/some"));
    private static final Claim DONE = Claim.exclusive(Scope.name("done"));

    @ParameterizedTest
    @ValueSource(strings = {"", ":ends", ":ended", ":index", ":records", ":waiters", ":clients"})
    void whicheverKeyIsLostEveryLockCanBeTakenAgainInFewCalls(String key) {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore one = RedisLeaseStore.connect(options);
                    RedisLeaseStore two = RedisLeaseStore.connect(options)) {
                for (Claim claim : List.of(NAME, SHARED, PATH)) {
                    Leases.granted(one.acquire(request(claim, BRIEF)));
                }
                leaveARecord(one);
                List<CompletionStage<Acquisition>> waiting = List.of(
                        two.acquire(request(NAME, BRIEF).waitingAtMost(WAIT)),
                        two.acquire(request(SUBTREE, BRIEF).waitingAtMost(WAIT)));
                Leases.list(two);
                redis.server().command("DEL", key(options) + key);
                long before = calls(redis);
                Claim sharedBefore = Claim.exclusive(Scope.name("shared"));
                for (Claim claim : List.of(NAME, sharedBefore, PATH, SUBTREE, DONE)) {
                    LeaseRequest again = request(claim, BRIEF).waitingAtMost(WAIT);
                    Leases.granted(one.acquire(again));
                }
                waiting.forEach(Leases::granted);
                assertThat(calls(redis) - before).as("calls").isLessThan(FEW_CALLS);
            }
        }
    }

    /** A hold on anything but a name is in the index alone, and so is every place in the queue. */
    @ParameterizedTest
    @MethodSource("io.leasehold.redis.RealRedis#programs")
    void whenTheIndexIsLostHoldersAndTheQueueAreRestoredFromTheLeases(RedisBinary program) {
        try (RealRedis redis = new RealRedis(RedisServer.start(program))) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options)) {
                Grant path = Leases.granted(store.acquire(request(PATH, LONG)));
                Grant shared = Leases.granted(store.acquire(request(SHARED, LONG)));
                CompletionStage<Acquisition> first =
                        store.acquire(request(SUBTREE, LONG).waitingAtMost(LONG));
                CompletionStage<Acquisition> second =
                        store.acquire(request(PATH, LONG).waitingAtMost(LONG));
                Leases.list(store);
                redis.server().command("DEL", key(options) + ":index");
                assertHeld(store, SUBTREE);
                assertHeld(store, Claim.exclusive(Scope.name("shared")));
                assertEnds(store, shared);
                assertEnds(store, path);
                assertEnds(store, Leases.granted(first));
                assertEnds(store, Leases.granted(second));
                assertEnds(store, Leases.granted(store.acquire(request(SUBTREE, LONG))));
            }
        }
    }

    @Test
    void whenTheScheduleIsLostItIsRestoredAndRecordsEndInTime() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                VirtualRedis virtual = new VirtualRedis(redis.server(), redis.options())) {
            LeaseStore store = virtual.store();
            Leases.granted(store.acquire(request(NAME, LONG)));
            leaveARecord(store);
            CompletionStage<Acquisition> waiting =
                    store.acquire(request(NAME, LONG).waitingAtMost(Duration.ofSeconds(5)));
            virtual.settle();
            redis.server().command("DEL", key(virtual.options()) + ":ends");
            virtual.pass(Duration.ofSeconds(6));
            assertThat(RealTime.answer(waiting)).isInstanceOf(Acquisition.Held.class);
            assertThat(Leases.list(store)).hasSize(1);
            virtual.pass(LONG);
            assertThat(Leases.list(store)).isEmpty();
            Object left = redis.server().command("HLEN", key(virtual.options()) + ":records");
            assertThat(left).as("only the member that stays").isEqualTo(1L);
        }
    }

    /** What was remembered of leases that ended is found again, and forgotten in time. */
    @Test
    void whenTheListOfEndedLeasesIsLostTheyAreStillForgotten() {
        try (RealRedis redis = new RealRedis(RedisServer.start())) {
            RedisOptions options = redis.options();
            try (RedisLeaseStore store = RedisLeaseStore.connect(options)) {
                Grant ended = Leases.grant(store, "ended", LONG);
                assertEnds(store, ended);
                redis.server().command("DEL", key(options) + ":ended");
                Leases.list(store);
                Leases.list(store);
                Object known = redis.server().command("LLEN", key(options) + ":ended");
                assertThat(known).as("it and the member that stays").isEqualTo(2L);
                assertEnds(store, ended);
            }
        }
    }

    private static void leaveARecord(LeaseStore store) {
        Grant grant = Leases.granted(store.acquire(request(DONE, BRIEF)));
        RealTime.answer(store.complete(grant, LeaseRecord.of("result"), BRIEF));
    }

    private static LeaseRequest request(Claim claim, Duration ttl) {
        return LeaseRequest.of(Leases.id(), claim, new Holder("somebody"), ttl);
    }

    private static void assertHeld(LeaseStore store, Claim claim) {
        assertThat(RealTime.answer(store.acquire(request(claim, LONG))))
                .isInstanceOf(Acquisition.Held.class);
    }

    private static void assertEnds(LeaseStore store, Grant grant) {
        assertThat(RealTime.answer(store.release(grant))).isEqualTo(new Ending.Ended());
    }

    private static String key(RedisOptions options) {
        return "leasehold:{" + options.namespace() + "}";
    }

    /** How often the script was called, by anybody. */
    private static long calls(RealRedis redis) {
        String stats =
                Objects.requireNonNull(redis.server().info("commandstats").get("cmdstat_evalsha"));
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }
}
