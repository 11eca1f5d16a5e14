// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.ThreadLeakCheck;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/** After the end nothing is left: no thread, no connection, nobody who waits. */
@Isolated
@ExtendWith(ThreadLeakCheck.class)
final class ClosingTest {

    private static final Duration QUICKLY = Duration.ofSeconds(10);

    private static RedisServer redis;
    private Set<Thread> before = Set.of();

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void noteThreads() {
        before = threadsOfTheLibrary();
    }

    @AfterEach
    void noThreadOfTheLibraryIsLeft() {
        await(() -> {
            Set<Thread> left = new HashSet<>(threadsOfTheLibrary());
            left.removeAll(before);
            return left.isEmpty();
        });
        // the one that asks
        await(() -> "1".equals(redis.info("clients").get("connected_clients")));
    }

    private static Set<Thread> threadsOfTheLibrary() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lettuce")
                        || thread.getName().startsWith("leasehold-redis-primary"))
                .collect(Collectors.toSet());
    }

    private static RedisLeaseStore connect() {
        return RedisLeaseStore.connect(RedisOptions.at(redis.uri())
                .withNamespace("closing")
                .withPatience(Duration.ofSeconds(30)));
    }

    @Test
    void closingTwiceIsClosingOnce() {
        RedisLeaseStore store = connect();
        Ask.granted(store, Ask.request("twice"));
        store.close();
        store.close();
    }

    @Test
    void whateverIsAskedAfterwardsDidNotHappen() {
        RedisLeaseStore store = connect();
        LeaseEvents.Subscription subscription = store.subscribe(event -> {});
        store.close();
        assertUnavailable(store.acquire(Ask.request("late")));
        assertUnavailable(store.acquire(Ask.request("late").waitingAtMost(QUICKLY)));
        assertUnavailable(store.list(LeaseQuery.all()));
        assertThatExceptionOfType(LeaseholdException.class)
                .isThrownBy(() -> store.subscribe(event -> {}));
        subscription.close();
        subscription.close();
    }

    @Test
    void whoWaitsIsTold() {
        RedisLeaseStore store = connect();
        Ask.granted(store, Ask.request("waited for"));
        CompletionStage<Acquisition> waits =
                store.acquire(Ask.request("waited for").waitingAtMost(Duration.ofMinutes(1)));
        Ask.answer(store.list(LeaseQuery.all()));
        store.close();
        assertUnavailable(waits);
    }

    @Test
    void aStoreClosesQuicklyWhileTheServerIsPaused() {
        RedisLeaseStore store = connect();
        redis.pause();
        try {
            CompletionStage<Acquisition> underWay = store.acquire(Ask.request("paused"));
            assertQuick(store::close);
            // before its time is over
            assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> {
                assertQuick(
                        () -> underWay.toCompletableFuture().handle((a, e) -> a).join());
                Ask.answer(underWay);
            });
        } finally {
            redis.resume();
        }
    }

    @Test
    void aListenerMayCloseTheStore() {
        RedisLeaseStore store = connect();
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        store.subscribe(event -> {
            store.close();
            closed.complete(true);
        });
        store.acquire(Ask.request("heard"));
        assertThat(closed).succeedsWithin(10, TimeUnit.SECONDS);
    }

    @Test
    void whoeverIsAnsweredMayCloseTheStore() {
        RedisLeaseStore store = connect();
        CompletionStage<Void> closed =
                store.acquire(Ask.request("answered")).thenAccept(answer -> store.close());
        assertThat(closed.toCompletableFuture()).succeedsWithin(10, TimeUnit.SECONDS);
    }

    @Test
    void manyConnectionsLeaveNothingBehind() {
        for (int i = 0; i < 100; i++) {
            try (RedisLeaseStore store = connect()) {
                Ask.granted(store, Ask.request("connection " + i));
            }
        }
    }

    @Test
    void connectionsThatFailLeaveNothingBehind() {
        RedisOptions strict = RedisOptions.at(redis.uri()).strictly();
        RedisOptions nowhere = RedisOptions.at("redis://wrong:wrong@127.0.0.1:" + redis.port());
        for (int i = 0; i < 10; i++) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(strict));
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(nowhere));
        }
    }

    private static void assertUnavailable(CompletionStage<?> stage) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Ask.answer(stage))
                .withMessage("the store is closed");
    }

    private static void assertQuick(Runnable task) {
        long start = Time.system().nanos();
        task.run();
        assertThat(Duration.ofNanos(Time.system().nanos() - start)).isLessThan(QUICKLY);
    }

    private static void await(BooleanSupplier condition) {
        long end = Time.system().nanos() + Duration.ofSeconds(10).toNanos();
        while (!condition.getAsBoolean()) {
            if (Time.system().nanos() - end > 0) {
                throw new AssertionError(
                        "left: " + threadsOfTheLibrary() + ", " + redis.command("CLIENT", "LIST"));
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
