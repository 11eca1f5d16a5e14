// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A network that loses answers and breaks connections all the time. Whoever got no answer asks
 * again with the same lease id, until it is sure.
 */
@Isolated("it keeps the machine busy")
final class NetworkFaultsTest {

    /** Longer than the test takes: nothing ends but by release. */
    private static final Duration TTL = Duration.ofMinutes(10);

    /** Names that nobody can get any more would keep it from its goal for ever. */
    private static final Duration AT_MOST = Duration.ofMinutes(2);

    private static final int CLIENTS = 4;
    private static final int LOOPS_EACH = 8;
    private static final int NAMES = 16;
    private static final int GOAL = 10_000;

    private final AtomicInteger pairs = new AtomicInteger();
    private final AtomicInteger repeats = new AtomicInteger();
    // for each name, how many believe that they hold it
    private final AtomicIntegerArray holders = new AtomicIntegerArray(NAMES);
    private final AtomicInteger violations = new AtomicInteger();
    private final History history = new History();

    @Test
    void noNameIsHeldTwiceAndNoLeaseIsLeftOver() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("network of seed " + seed);
        try (RealRedis redis = new RealRedis(RedisServer.start());
                TcpProxy network = TcpProxy.to(redis.server().port())) {
            RedisOptions options = RedisOptions.at("redis://127.0.0.1:" + network.port())
                    .withPatience(Duration.ofSeconds(2));
            List<RedisLeaseStore> clients = new ArrayList<>();
            List<CompletableFuture<Void>> loops = new ArrayList<>();
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    RedisLeaseStore client = RedisLeaseStore.connect(options);
                    clients.add(client);
                    for (int j = 0; j < LOOPS_EACH; j++) {
                        Random random = new Random(seed + 100 * i + j);
                        loops.add(CompletableFuture.runAsync(
                                () -> loop(client, random),
                                task -> new Thread(task, "loop").start()));
                    }
                }
                disturb(network, new Random(seed), loops);
                loops.forEach(RealTime::answer);
                assertThat(pairs).hasValueGreaterThanOrEqualTo(GOAL);
                System.out.println(pairs.get() + " pairs, " + repeats.get() + " repeats");
                assertThat(violations).hasValue(0);
                assertThat(repeats.get()).isPositive();
                history.assertTokensIncrease();
                assertThat(RealTime.eventually(() -> Leases.list(clients.get(0))))
                        .isEmpty();
            } finally {
                clients.forEach(RedisLeaseStore::close);
            }
        }
    }

    private static void disturb(
            TcpProxy network, Random random, List<CompletableFuture<Void>> loops) {
        CompletableFuture<Void> all =
                CompletableFuture.allOf(loops.toArray(CompletableFuture<?>[]::new));
        while (!all.isDone()) {
            RealTime.pass(Duration.ofMillis(100 + random.nextInt(300)));
            switch (random.nextInt(3)) {
                case 0 -> network.cut();
                case 1 -> network.loseReplies();
                default -> network.delayReplies(Duration.ofMillis(20));
            }
            RealTime.pass(Duration.ofMillis(random.nextInt(100)));
            network.heal();
        }
    }

    private void loop(RedisLeaseStore client, Random random) {
        long start = History.now();
        while (pairs.get() < GOAL && History.now() - start < AT_MOST.toNanos()) {
            int name = random.nextInt(NAMES);
            LeaseRequest request = Leases.request("name-" + name, TTL);
            if (random.nextInt(4) == 0) {
                request = request.waitingAtMost(Duration.ofSeconds(2));
            }
            use(client, request, name);
        }
    }

    private void use(RedisLeaseStore client, LeaseRequest request, int name) {
        long askedAt = History.now();
        Acquisition answer = sure(() -> RealTime.answer(client.acquire(request)));
        if (!(answer instanceof Acquisition.Granted granted)) {
            assertThat(answer).isInstanceOf(Acquisition.Held.class);
            return;
        }
        history.granted(askedAt, granted.grant().token());
        if (holders.incrementAndGet(name) != 1) {
            violations.incrementAndGet();
        }
        holders.decrementAndGet(name);
        Ending ending = sure(() -> RealTime.answer(client.release(granted.grant())));
        assertThat(ending).isInstanceOf(Ending.Ended.class);
        pairs.incrementAndGet();
    }

    /** Asks until there is an answer. */
    private <T> T sure(Supplier<T> ask) {
        AtomicInteger attempts = new AtomicInteger();
        T answer = RealTime.eventually(() -> {
            attempts.incrementAndGet();
            return ask.get();
        });
        repeats.addAndGet(attempts.get() - 1);
        return answer;
    }
}
