// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Time;
import io.leasehold.table.StoreThread;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * On the machine's time: what is due by a timer is done by threads of the store's. The JDK's delay
 * thread, on which every time-out in the process depends, does none of it.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RedisThreadsTest {

    private static final String ALARMS = "leasehold-redis-alarms";
    private static final String TIMEOUTS = "leasehold-redis-timeouts";
    private static final Duration SHORT = Duration.ofMillis(500); // until somebody is to be told
    private static final Duration LONG = Duration.ofMinutes(5);

    private static CompletableFuture<String> threadOf(CompletionStage<?> answer) {
        return answer.handle((came, error) -> Thread.currentThread().getName())
                .toCompletableFuture();
    }

    @Test
    void whoHasWaitedInVainIsAskedAboutAndToldByThreadsOfTheStore() {
        Queue<String> senders = new ConcurrentLinkedQueue<>();
        try (RealRedis redis = new RealRedis(RedisServer.start());
                RedisLeaseStore store = recorded(redis.options(), senders)) {
            Leases.grant(store, "a", LONG);
            senders.clear();

            CompletionStage<Acquisition> waiter =
                    store.acquire(Leases.request("a", LONG).waitingAtMost(SHORT));

            // whoever brings the answer to the question, or asked it and finds it there
            assertThat(RealTime.answer(threadOf(waiter))).matches("lettuce-.*|" + ALARMS);
            assertThat(RealTime.answer(waiter)).isInstanceOf(Acquisition.Held.class);
            assertThat(senders)
                    .contains(ALARMS)
                    .containsOnly(ALARMS, Thread.currentThread().getName());
        }
    }

    /** A store that shows which threads send. */
    private static RedisLeaseStore recorded(RedisOptions options, Queue<String> senders) {
        return new RedisLeaseStore(options, Time.system(), listener -> {
            Link link = LettuceLink.connect(
                    RedisAddress.of(options.uri()), options.patience(), listener);
            return (Link) Proxy.newProxyInstance(
                    Link.class.getClassLoader(),
                    new Class<?>[] {Link.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("run")) {
                            senders.add(Thread.currentThread().getName());
                        }
                        return method.invoke(link, arguments);
                    });
        });
    }

    @Test
    void whoIsNotAnsweredInTimeIsToldByAThreadOfTheStore() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                TcpProxy way = TcpProxy.to(redis.server().port());
                RedisLeaseStore store =
                        RedisLeaseStore.connect(RedisOptions.at("redis://127.0.0.1:" + way.port())
                                .withPatience(Duration.ofSeconds(2)))) {
            way.loseReplies();

            CompletionStage<Acquisition> lost = store.acquire(Leases.request("a", LONG));

            assertThat(RealTime.answer(threadOf(lost))).isEqualTo(TIMEOUTS);
            assertThat(lost.toCompletableFuture())
                    .failsWithin(RealTime.PATIENCE)
                    .withThrowableThat()
                    .withCauseInstanceOf(OutcomeUnknownException.class);
        }
    }

    @Test
    void eventsAreToldByAThreadOfTheStore() {
        CompletableFuture<String> teller = new CompletableFuture<>();
        try (RealRedis redis = new RealRedis(RedisServer.start());
                RedisLeaseStore store = RedisLeaseStore.connect(redis.options())) {
            store.subscribe(event -> teller.complete(Thread.currentThread().getName()));

            Leases.grant(store, "a", LONG);

            assertThat(RealTime.answer(teller)).isEqualTo("leasehold-redis-events");
        }
    }

    /** A server that does not read any more: the write ends when somebody closes the connection. */
    @Test
    void aTimerThatStandsInAWriteDoesNotKeepCallsFromTheirEnd() {
        CompletableFuture<Boolean> doubted = new CompletableFuture<>();
        CompletableFuture<Boolean> stands = new CompletableFuture<>();
        Conveyor.Extras extras = new Conveyor.Extras() {
            @Override
            public void deliver(List<?> fields) {}

            @Override
            public void missed() {
                doubted.complete(true);
            }
        };
        Time time = StoreThread.timers(Time.system(), ALARMS);
        Conveyor conveyor = new Conveyor(
                batch -> {
                    if (Thread.currentThread().getName().equals(ALARMS)) {
                        stands.complete(doubted.join());
                    }
                    return new CompletableFuture<>();
                },
                () -> null,
                extras,
                time,
                Duration.ofSeconds(1),
                2);
        CompletableFuture<List<Object>> unanswered = conveyor.send(Operation.of('l'));
        time.schedule(Duration.ofMillis(1), () -> conveyor.send(Operation.of('l')));

        assertThat(RealTime.answer(threadOf(unanswered))).isEqualTo(TIMEOUTS);
        assertThat(RealTime.answer(stands)).isTrue();
    }
}
