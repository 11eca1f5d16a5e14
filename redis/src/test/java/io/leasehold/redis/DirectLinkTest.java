// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseStore;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Calls that take lines of their own, beside those that go through the client library. */
final class DirectLinkTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final int THREADS = 24;
    private static final int PAIRS = 200;

    private static void pairs(LeaseStore store, String name, int count) {
        for (int i = 0; i < count; i++) {
            Grant grant = Leases.grant(store, name, TTL);
            assertThat(RealTime.answer(store.release(grant))).isInstanceOf(Ending.Ended.class);
        }
    }

    /** Some wait for each answer, some don't; some have a name of their own, some share one. */
    private static void crowd(RedisLeaseStore store) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int number = i;
                LeaseStore way = i % 3 == 0 ? store : store.forWaitingCallers();
                work.add(() -> {
                    if (number % 2 == 0) {
                        pairs(way, "own-" + number, PAIRS);
                    } else {
                        shared(way);
                    }
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(work)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void shared(LeaseStore store) {
        for (int i = 0; i < PAIRS / 4; i++) {
            Grant grant =
                    Leases.granted(store.acquire(Leases.request("shared", TTL).waitingAtMost(TTL)));
            assertThat(RealTime.answer(store.release(grant))).isInstanceOf(Ending.Ended.class);
        }
    }

    private static long calls(RedisServer redis, String kind) {
        return Long.parseLong(String.valueOf(redis.info("clients").get(kind)));
    }

    @Test
    void everyoneIsAnsweredHoweverManyCall() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            crowd(store);
            assertThat(Leases.list(store)).isEmpty();
            // two of the library, one that is shared, eight for those who wait, and the test's own
            assertThat(calls(redis, "connected_clients")).isBetween(4L, 12L);
        }
    }

    @Test
    void linesThatAreCutAreOpenedAgain() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            LeaseStore waiting = store.forWaitingCallers();
            for (int i = 0; i < 5; i++) {
                pairs(waiting, "before", 20);
                redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
                untilItWorks(waiting);
            }
            crowd(store);
            RealTime.until("lines again", () -> calls(redis, "connected_clients") > 3);
        }
    }

    @Test
    void aScriptThatTheServerForgotIsBroughtAgain() {
        try (RedisServer redis = RedisServer.start();
                RedisLeaseStore store = RedisLeaseStore.connect(redis.uri())) {
            LeaseStore waiting = store.forWaitingCallers();
            for (int i = 0; i < 5; i++) {
                pairs(waiting, "name", 5);
                redis.command("SCRIPT", "FLUSH");
            }
            pairs(store, "name", 5);
        }
    }

    @Test
    void whoWaitsForAServerThatStandsStillIsReleasedInTime() {
        try (RedisServer redis = RedisServer.start();
                RedisLeaseStore store = RedisLeaseStore.connect(
                        RedisOptions.at(redis.uri()).withPatience(Duration.ofSeconds(1)))) {
            LeaseStore waiting = store.forWaitingCallers();
            pairs(waiting, "name", 50);
            redis.pause();
            assertThatExceptionOfType(OutcomeUnknownException.class)
                    .isThrownBy(() -> Leases.grant(waiting, "late", TTL))
                    .withMessageContaining("did not answer in time");
            redis.resume();
            untilItWorks(waiting);
            pairs(waiting, "name", 50);
        }
    }

    private static void untilItWorks(LeaseStore store) {
        RealTime.until("it works again", () -> {
            try {
                pairs(store, "again", 1);
                return true;
            } catch (LeaseholdException e) {
                return false;
            }
        });
    }
}
