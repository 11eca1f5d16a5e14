// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No call to Redis does unlimited work, because nobody else is served meanwhile. */
@Isolated("it keeps the machine busy")
final class BoundedCallsTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int DEAD = 4000;

    /** Of waiters that are looked at in one call, see queue.lua. */
    private static final int IN_ONE_CALL = 250;

    private static final int SHARING = 300;
    private static final int WAITING = 50;

    /** One queue with all of them, or one each below a directory. */
    @ParameterizedTest
    @ValueSource(strings = {"one queue", "many queues"})
    void waitersOfADeadClientAreDroppedInManyShortCalls(String queues) {
        boolean one = queues.equals("one queue");
        try (RealRedis redis = new RealRedis(RedisServer.start());
                TcpProxy network = TcpProxy.to(redis.server().port())) {
            RedisOptions options = redis.options();
            RedisOptions proxied = RedisOptions.at("redis://127.0.0.1:" + network.port())
                    .withNamespace(options.namespace());
            try (RedisLeaseStore store = RedisLeaseStore.connect(options);
                    RedisLeaseStore dead = RedisLeaseStore.connect(proxied)) {
                Scope wanted = one ? Scope.name("wanted") : Scope.subtree("/");
                Grant held = Leases.granted(store.acquire(request(Claim.exclusive(wanted))));
                for (int i = 0; i < DEAD; i++) {
                    Scope scope = one ? wanted : Scope.path("/dir/" + i);
                    CompletionStage<Acquisition> unused =
                            dead.acquire(request(Claim.exclusive(scope)).waitingAtMost(LONG));
                }
                String waiters = "leasehold:{" + options.namespace() + "}:waiters";
                RealTime.until("all wait", () -> number(redis, "HLEN", waiters) >= DEAD);
                CompletionStage<Acquisition> next =
                        store.acquire(request(Claim.exclusive(wanted)).waitingAtMost(LONG));
                Leases.list(store);
                network.refuse();
                network.cut();
                RealTime.until("the server knows", () -> connections(redis) <= 4);
                long before = calls(redis, "evalsha");
                RealTime.answer(store.release(held));
                assertThat(Leases.granted(next).token()).isGreaterThan(held.token());
                assertThat(calls(redis, "evalsha") - before)
                        .isBetween((long) DEAD / IN_ONE_CALL, 10L * DEAD / IN_ONE_CALL);
                assertThat(number(redis, "HLEN", waiters)).as("who waits").isLessThan(2);
            }
        }
    }

    @Test
    void aListingCountsTheWaitersOfAScopeOnce() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                RedisLeaseStore store = RedisLeaseStore.connect(redis.options())) {
            Scope scope = Scope.name("crowded");
            List<CompletionStage<Acquisition>> all = new ArrayList<>();
            for (int i = 0; i < SHARING; i++) {
                all.add(store.acquire(request(Claim.shared(scope))));
            }
            all.forEach(Leases::granted);
            for (int i = 0; i < WAITING; i++) {
                CompletionStage<Acquisition> unused =
                        store.acquire(request(Claim.exclusive(scope)).waitingAtMost(LONG));
            }
            assertCountsOnce(redis, store, LeaseQuery.all());
            assertCountsOnce(
                    redis, store, new LeaseQuery(Optional.of(scope), Optional.empty(), 1000));
        }
    }

    private static void assertCountsOnce(RealRedis redis, RedisLeaseStore store, LeaseQuery query) {
        RealTime.answer(store.list(query));
        long before = calls(redis, "zrangebylex") + calls(redis, "zlexcount");
        List<LeaseView> rows = RealTime.answer(store.list(query)).leases();
        long after = calls(redis, "zrangebylex") + calls(redis, "zlexcount");
        assertThat(rows).extracting(LeaseView::waiters).containsOnly(WAITING);
        assertThat(after - before).isLessThan(10);
    }

    private static LeaseRequest request(Claim claim) {
        return LeaseRequest.of(Leases.id(), claim, new Holder("somebody"), LONG);
    }

    private static long number(RealRedis redis, String... command) {
        return Long.parseLong(String.valueOf(redis.server().command(command)));
    }

    private static int connections(RealRedis redis) {
        return Integer.parseInt(
                redis.server().info("clients").getOrDefault("connected_clients", "0"));
    }

    private static long calls(RealRedis redis, String command) {
        String stats =
                redis.server().info("commandstats").getOrDefault("cmdstat_" + command, "calls=0,");
        return Long.parseLong(stats.substring("calls=".length(), stats.indexOf(',')));
    }
}
